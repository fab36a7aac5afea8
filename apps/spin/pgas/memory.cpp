// SPDX-License-Identifier: BSD-3-Clause
//
// The first rank of a host asks for all there: they share its memory, and one message is enough.
#include <apps/spin/pgas/memory.hpp>
#include <atoll/base/memory_limits.hpp>
#include <atoll/base/text.hpp>

namespace spin {
namespace {

void refuse_if_too_large(atl::runtime& job, const division& plan) {
  // The heap grows in steps and rounds up: allow for it.
  const std::size_t each = plan.bytes + (std::size_t{8} << 20);
  const auto& layout = job.host_memory().layout();
  const std::size_t all = each * layout.ranks;  // of this host
  const std::size_t available = atl::read_available_memory();
  const auto refuse = [&](std::size_t needed, const char* what, std::size_t there) {
    job.fail(
        "spin: memory",
        atl::text(atl::bytes_text(needed), " are needed and ", what, " ", atl::bytes_text(there)),
        "use fewer sites (one less halves it) or a machine with more memory");
  };
  if (each > layout.heap_limit) refuse(each, "the heap of a rank may have", layout.heap_limit);
  if (all > layout.host_limit) refuse(all, "all heaps together may have", layout.host_limit);
  if (all > available) refuse(all, "the machine has now", available);
}

}  // namespace

void check_memory(atl::runtime& job, const division& plan) {
  const bool leads = job.rank() == job.host_memory().layout().first;  // each host has its own
  if (leads) refuse_if_too_large(job, plan);
  job.world().barrier();  // nobody allocates before the answer
}

}  // namespace spin
