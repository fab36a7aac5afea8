// SPDX-License-Identifier: BSD-3-Clause
//
// Sizing and mapping the memory of a rank's host, and the two heaps in it.
#include <atoll/core/job/rank_memory.hpp>

#include <atoll/memory/settings.hpp>
#include <atoll/memory/variables_card.hpp>

#include <unistd.h>

namespace atl {
namespace {

memory::host_layout layout_for(const job_context& job, std::size_t transport_bytes) {
  const rank_range host_ranks = job.ranks_of_host();
  const settings& chosen = job.configuration();
  memory::host_layout layout =
      memory::plan(host_ranks.count, transport_bytes + rank_memory::internal_heap_bytes,
                   {.heap_limit = chosen.number(setting::segment_limit),
                    .symmetric_limit = chosen.number(setting::symmetric_limit),
                    .host_limit = chosen.number(setting::memory_limit)});
  layout.first = host_ranks.first;
  layout.fixed_bytes = transport_bytes;  // the internal heap promises its own
  return layout;
}

memory::kernel_copy_mode kernel_copy_mode_of(const job_context& job, bool may_map) {
  if (!may_map) return memory::kernel_copy_mode::never;
  return static_cast<memory::kernel_copy_mode>(job.configuration().choice(setting::kernel_copy));
}

}  // namespace

rank_memory::rank_memory(const job_context& job, std::size_t transport_bytes, bool may_map)
    : job_(job),
      transport_bytes_(transport_bytes),
      host_(job.boot().host_memory(), layout_for(job, transport_bytes), job.rank()),
      kernel_copy_(std::make_unique<memory::kernel_copy>(host_, job.rank(),
                                                         kernel_copy_mode_of(job, may_map))),
      heap_(heap_at(host_.heap(job.rank()), host_.layout().heap_limit)),
      internal_heap_(heap_at(internal_heap_of(job.rank()), internal_heap_bytes)) {}

memory::heap_options rank_memory::heap_at(std::byte* base, std::size_t limit) {
  const bool is_shared = base == host_.heap(job_.rank());
  return {.base = base,
          .limit_bytes = limit,
          .commit = [this, is_shared, committed = std::size_t{0}](std::size_t wanted) mutable {
            const std::size_t bytes = wanted - committed;
            const bool promised = is_shared
                                      ? memory::commit_growth(host_, job_.rank(), committed, bytes)
                                      : host_.commit(committed, bytes);
            if (!promised) return false;
            committed = wanted;
            return true;
          }};
}

// A process from which all ranks of the host descend.
pid_t rank_memory::ancestor_of_neighbours() const noexcept {
  const pid_t known = job_.boot().common_ancestor();
  return known != 0 ? known : ::getppid();
}

void rank_memory::offer() noexcept {
  if (job_.neighbours().count == 1) return;
  const std::lock_guard hold(offering_);
  kernel_copy_->offer(ancestor_of_neighbours());
}

void rank_memory::offer_descriptors() noexcept {
  if (job_.neighbours().count != 1) memory::declare_to_descendants_of(ancestor_of_neighbours());
}

}  // namespace atl
