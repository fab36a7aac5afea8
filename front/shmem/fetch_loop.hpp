// SPDX-License-Identifier: BSD-3-Clause
//
// Recognizes programs that wait in a loop of their own, by fetching the same value again and again:
// a ticket that is read by atomic_fetch, a flag that is read by g, a lock that is taken by
// compare_swap. Where PEs share cores, such a loop keeps the PE that it waits for from running
// until the kernel takes the core away, some milliseconds later. So in a job with more PEs than
// cores inline code leaves fetches to the library (atoll_shmem/direct.h), which notes them here and
// yields.
#pragma once

#include <atomic>
#include <cstdint>

namespace atl::shmem {

/// The last fetches of this process, by any thread. All accesses are relaxed: they order nothing,
/// and a count that another thread overwrites only makes a yield come later. Programs that measure
/// a fetch repeat it too, so yields are rare enough to add only a few nanoseconds to it.
class fetch_loop {
 public:
  static constexpr unsigned patience = 1024;       // equal fetches between two yields
  static constexpr unsigned fetches_max = 20'000;  // fetches of any kind between two yields

  /// Notes a fetch; returns whether the caller is to yield. Equal fetches in a row are a loop. A
  /// loop over several objects is not recognized, so every program also yields once in a while.
  bool wants_yield(const volatile void* object, std::uint64_t value) noexcept {
    const std::uint64_t fetch =
        reinterpret_cast<std::uintptr_t>(object) * 0x9e3779b97f4a7c15u ^ value;
    const bool is_equal = fetch == last_.load(std::memory_order_relaxed);
    if (!is_equal) last_.store(fetch, std::memory_order_relaxed);
    const unsigned equal = is_equal ? equal_.load(std::memory_order_relaxed) + 1 : 0;
    const unsigned count = count_.load(std::memory_order_relaxed) + 1;
    const bool yields = equal >= patience || count >= fetches_max;
    equal_.store(yields ? 0 : equal, std::memory_order_relaxed);
    count_.store(yields ? 0 : count, std::memory_order_relaxed);
    return yields;
  }

 private:
  std::atomic<std::uint64_t> last_ = 0;  // object and value
  std::atomic<unsigned> equal_ = 0;
  std::atomic<unsigned> count_ = 0;
};

}  // namespace atl::shmem
