// SPDX-License-Identifier: BSD-3-Clause
//
// Pairwise synchronization: each rank has, on every other, a counter that it alone writes. Counters
// only grow, so there is nothing to reset, and a rank waits only for those that it needs. The puts
// of a rank before notify() have arrived when its counter has: notify() waits for puts that are
// under way, and orders direct stores before the counter.
//
// One thread. Made by all members of the arena's team together, before the barrier that follows the
// arena's last take().
#pragma once

#include <apps/trial/arena.hpp>
#include <atoll/core/rma/rma.hpp>

#include <atomic>
#include <cstdint>

namespace trial {

class flags {
 public:
  static std::size_t bytes_needed(std::size_t ranks) {
    return arena::bytes_of(ranks, sizeof(cell));
  }

  explicit flags(arena& from) : from_(from), cells_(from.take<cell>(from.team().size())) {}
  flags(const flags&) = delete;
  flags& operator=(const flags&) = delete;

  /// Shows `peer` that this rank is at `count`.
  void notify(atl::rank_id peer, std::uint64_t count) {
    atl::runtime& job = from_.job();
    cell* const remote = from_.peer_address(peer, cells_ + from_.team().rank());
    job.wait_implicit(true, false);
    // Pairs with the acquire of has_reached(): a peer that sees the counter sees what came before.
    atl::fence_stores();
    atl::put_value(job.heaps(), peer, &remote->count, count);
    if (job.is_neighbour(peer)) job.wake(peer);
  }

  bool has_reached(atl::rank_id peer, std::uint64_t count) const noexcept {
    // Acquire: pairs with the fence of notify().
    return std::atomic_ref<const std::uint64_t>(cells_[peer].count)
               .load(std::memory_order_acquire) >= count;
  }

  void wait(atl::rank_id peer, std::uint64_t count) {
    for (int check = 0; check < checks_before_progress; ++check)
      if (has_reached(peer, count)) return;
    from_.job().wait_until([&] { return has_reached(peer, count); }, atl::runtime::silent_sleep_ns);
  }

 private:
  static constexpr int checks_before_progress = 20;

  struct alignas(arena::alignment) cell {
    std::uint64_t count;
  };

  arena& from_;
  cell* cells_;
};

}  // namespace trial
