// SPDX-License-Identifier: BSD-3-Clause
//
// The state that a transport keeps of each peer, made at the first contact with it. A job may have
// many thousands of ranks, of which a rank talks to a few dozen. Every other one costs the address
// space of a pointer, and memory only where that pointer shares a page with one that is in use.
//
// Threads: any. A state is made once; its address stays the same for the table's life.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/sparse_table.hpp>

#include <atomic>
#include <cstddef>
#include <deque>
#include <mutex>
#include <utility>

namespace atl::transport {

template <class State>
class contact_table {
 public:
  explicit contact_table(rank_id ranks) : slots_(ranks) {}

  /// The state of a peer; null when there was nothing to do with it yet.
  State* find(rank_id peer) const noexcept {
    // Acquire: pairs with the release below; a state that is seen is whole.
    return slot(peer).load(std::memory_order_acquire);
  }

  /// The same, made by make() if need be. Ends the process when memory is exhausted.
  template <class Make>
  State& get(rank_id peer, Make make) noexcept {
    if (State* const known = find(peer)) [[likely]]
      return *known;
    return add(peer, make);
  }

  /// Calls visit(state) for each state that there is, in the order of their making. Not while
  /// another thread may make one.
  template <class Visit>
  void for_each(Visit visit) {
    for (State& each : made_) visit(each);
  }

  static constexpr std::size_t bytes_per_rank = sizeof(State*);  // at most

 private:
  std::atomic_ref<State*> slot(rank_id peer) const noexcept {
    return std::atomic_ref(slots_[peer]);
  }

  template <class Make>
  [[gnu::noinline]] State& add(rank_id peer, Make make) noexcept {
    const std::lock_guard hold(making_);
    if (State* const known = slot(peer).load(std::memory_order_relaxed)) return *known;
    State& made = made_.emplace_back(make());
    slot(peer).store(&made, std::memory_order_release);  // pairs with find()
    return made;
  }

  sparse_table<State*> slots_;  // by rank
  std::mutex making_;
  std::deque<State> made_;
};

}  // namespace atl::transport
