// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's memory in its job: the mapping of its host's memory file, the heap from which programs
// allocate, the runtime's own heap, and copies by the kernel to memory that the file does not hold.
// Of a rank's control part, the first bytes are the transports' and the rest is the internal heap.
//
// It needs only a job and a file, so a test makes it alone. The heaps begin empty; a page exists
// when it is touched, and is asked for before (host_memory::commit).
//
// Threads: making one is set-up; the heaps have locks of their own.
#pragma once

#include <atoll/core/job/job_context.hpp>
#include <atoll/memory/heap.hpp>
#include <atoll/memory/host_memory.hpp>
#include <atoll/memory/kernel_copy.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

namespace atl {

class rank_memory {
 public:
  /// Sizes and maps the file of the job's host; all its ranks do the same. `transport_bytes`: what
  /// transports need in the control part. `may_map`: the ranks may reach each other's memory.
  /// Throws `atl::error`.
  rank_memory(const job_context& job, std::size_t transport_bytes, bool may_map);
  rank_memory(const rank_memory&) = delete;
  rank_memory& operator=(const rank_memory&) = delete;

  memory::host_memory& host() noexcept { return host_; }
  memory::heap& heap() noexcept { return heap_; }
  memory::kernel_copy& kernel_copy() noexcept { return *kernel_copy_; }

  /// The heap of the runtime's own shared memory, and where that of a neighbour begins here.
  static constexpr std::size_t internal_heap_bytes = std::size_t{64} << 20;
  memory::heap& internal_heap() noexcept { return internal_heap_; }
  std::byte* internal_heap_of(rank_id neighbour) const noexcept {
    return host_.control(neighbour) + transport_bytes_;
  }

  /// Lets neighbours reach memory of this process that is not in the file, where the kernel allows
  /// it. Any thread.
  void offer() noexcept;
  /// Lets neighbours take duplicates of descriptors of this process, however copies are set.
  void offer_descriptors() noexcept;

  /// In a forked child: gives away the object whose destructor would take back the parent's offer.
  std::unique_ptr<memory::kernel_copy> release_kernel_copy() noexcept {
    return std::move(kernel_copy_);
  }

 private:
  pid_t ancestor_of_neighbours() const noexcept;
  memory::heap_options heap_at(std::byte* base, std::size_t limit);

  const job_context& job_;
  std::size_t transport_bytes_;
  memory::host_memory host_;
  std::unique_ptr<memory::kernel_copy> kernel_copy_;
  memory::heap heap_;
  memory::heap internal_heap_;
  std::mutex offering_;
};

}  // namespace atl
