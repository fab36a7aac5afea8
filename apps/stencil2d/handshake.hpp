// SPDX-License-Identifier: BSD-3-Clause
//
// Pairwise synchronization with the neighbours: each rank reports to each neighbour how often it
// has reached some point, by a counter that it puts into the other's memory. Counters only grow and
// each has one writer, so there is nothing to reset, and a rank waits only for those that it needs.
// A rank that is a neighbour in several directions is told once; a rank never tells itself.
//
// The puts and stores of a rank before notify_all() have arrived when its counter has: notify_all()
// waits for puts that are under way, and orders direct stores before the counter.
#pragma once

#include <apps/stencil2d/shape.hpp>
#include <apps/trial/arena.hpp>
#include <atoll/core/rma/rma.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace stencil2d {

using trial::arena;

class handshake {
 public:
  static constexpr std::size_t bytes_needed = directions.size() * arena::alignment;

  handshake(arena& from, const layout& domain, unsigned rank) : job_(from.job()) {
    cell* const cells = from.take<cell>(directions.size());
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const atl::rank_id other = domain.neighbour(rank, d);
      if (other == rank) continue;
      if (from.local_address(other, from.peer_address(other, cells)) == nullptr)
        all_mapped_ = false;
      std::size_t index = 0;
      while (index < peers_.size() && peers_[index].rank != other) ++index;
      // That rank writes the cell of the first direction in which this rank is its neighbour: the
      // reverse of the last direction in which it is this rank's neighbour.
      if (index == peers_.size())
        peers_.push_back({.rank = other, .remote_cell = from.peer_address(other, cells + d)});
      peers_[index].own_cell = cells + opposite(d);
      peer_of_[d] = static_cast<int>(index);
    }
  }
  handshake(const handshake&) = delete;
  handshake& operator=(const handshake&) = delete;

  /// Tells all neighbours that this rank has reached its next point; returns its number, from 1.
  std::uint64_t notify_all() noexcept {
    finish_puts();
    // A neighbour that sees the counter also sees the earlier stores into its memory; pairs with
    // has_arrived().
    atl::fence_stores();
    ++count_;
    for (const peer& to : peers_) {
      atl::put_nbi(job_.primordial(), to.rank, to.remote_cell, &count_, sizeof count_);
      if (job_.is_neighbour(to.rank)) job_.wake(to.rank);
    }
    return count_;
  }

  /// Whether the neighbour in this direction, or all neighbours, have reached point `count`.
  bool has_reached(std::size_t direction, std::uint64_t count) const noexcept {
    const int index = peer_of_[direction];
    return index < 0 || has_arrived(peers_[static_cast<std::size_t>(index)], count);
  }
  bool have_all_reached(std::uint64_t count) const noexcept {
    for (const peer& from : peers_)
      if (!has_arrived(from, count)) return false;
    return true;
  }

  void wait_all(std::uint64_t count) {
    wait_until([&] { return have_all_reached(count); });
  }
  template <class Ready>
  void wait_until(Ready ready) {
    for (int look = 0; look < eager_looks; ++look)
      if (ready()) return;
    job_.wait_until(ready, atl::runtime::silent_sleep_ns);
  }

  /// Waits until all puts are complete.
  void finish_puts() noexcept {
    if (!all_mapped_) job_.wait_implicit(true, false);
  }

 private:
  static constexpr int eager_looks = 20;  // checks before it makes progress

  struct alignas(arena::alignment) cell {
    std::uint64_t count;
  };
  struct peer {
    atl::rank_id rank;
    cell* remote_cell;     // the peer's cell for this rank, by the peer's address
    const cell* own_cell;  // this rank's cell for the peer
  };

  // Acquire: pairs with the fence in the writer's notify_all(), so that what it stored before is
  // seen.
  static bool has_arrived(const peer& from, std::uint64_t count) noexcept {
    return std::atomic_ref<const std::uint64_t>(from.own_cell->count)
               .load(std::memory_order_acquire) >= count;
  }

  atl::runtime& job_;
  std::vector<peer> peers_;
  std::array<int, 8> peer_of_{-1, -1, -1, -1, -1, -1, -1, -1};
  std::uint64_t count_ = 0;
  bool all_mapped_ = true;
};

}  // namespace stencil2d
