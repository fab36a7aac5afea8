// SPDX-License-Identifier: BSD-3-Clause
//
// Checks the memory. The first rank of a host does it for all its ranks, which share the memory, so
// that only one message is printed.
#include <apps/spin/pgas/memory.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>

namespace spin {
namespace {

void refuse_if_too_large(atl::runtime& job, const division& plan) {
  // The heap grows in steps and rounds up, which takes some more.
  const std::size_t each = plan.bytes + (std::size_t{8} << 20);
  const auto& layout = job.memory_layout();
  const std::size_t total = each * layout.ranks;  // of this host
  const std::size_t available = atl::read_available_memory();
  const auto refuse = [&](std::size_t needed, const char* limit_text, std::size_t limit) {
    job.fail("spin: memory",
             atl::text(atl::bytes_text(needed), " are needed and ", limit_text, " ",
                       atl::bytes_text(limit)),
             "use fewer sites (one less halves it) or a machine with more memory");
  };
  if (each > layout.heap_limit) refuse(each, "the heap of a rank may have", layout.heap_limit);
  if (total > layout.host_limit) refuse(total, "all heaps together may have", layout.host_limit);
  if (total > available) refuse(total, "the machine has now", available);
}

}  // namespace

void check_memory(atl::runtime& job, const division& plan) {
  const bool leads = job.rank() == job.memory_layout().first;  // each host has its own
  if (leads) refuse_if_too_large(job, plan);
  job.world().barrier();  // no rank allocates before the check
}

}  // namespace spin
