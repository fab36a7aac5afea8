// SPDX-License-Identifier: BSD-3-Clause
//
// The wait at a network's descriptor. A rank that has a network and no neighbours sleeps at the
// network's descriptor itself, so that a message wakes it without a thread in between. No other
// process rings its bell; only its own threads do, and for those there is an eventfd beside the
// descriptor.
//
// One thread at a time waits at the descriptor, and `taken_` is set meanwhile; other threads of the
// rank sleep at the bell. A thread that leaves rings the bell, so that another one takes its place.
//
//     ringer                              the thread at the descriptor
//     R1 doorbell::ring: count the ring   P1 set taken_
//     R2 fence                            P2 fence
//     R3 taken_ set: write to eventfd     P3 the bell has counted since the ticket? leave
//                                         P4 sleep at both descriptors
//
// One of R3 and P3 sees the other. R1 counts only after the announcement of doorbell::prepare(),
// which has been made by then. Where membarrier is refused, a ringer may miss the announcement, so
// a sleep here lasts no longer than one at the bell may. A rank of one thread has no ringer and
// pays for none of this.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/base/threads/doorbell.hpp>

#include <atomic>
#include <cstdint>

namespace atl::transport {

class descriptor_waiter {
 public:
  enum class end : std::uint8_t { woken, timed_out, taken };

  /// `threaded`: several threads of the rank may sleep. Throws `atl::error`.
  descriptor_waiter(int descriptor, doorbell& bell, bool threaded);
  descriptor_waiter(const descriptor_waiter&) = delete;
  descriptor_waiter& operator=(const descriptor_waiter&) = delete;

  /// Whether sleepers must announce themselves at the bell.
  bool threaded() const noexcept { return threaded_; }

  /// Sleeps at the descriptor; returns `taken` at once when another thread sleeps there. `drawn`
  /// comes from doorbell::prepare(), and is used only where there are several threads.
  end sleep(doorbell::ticket drawn, std::int64_t timeout_ns) noexcept;

  /// Wakes the thread at the descriptor; called after a thread of this rank has rung the bell.
  void ring() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);  // R2: pairs with P2 in sleep()
    if (taken_.load(std::memory_order_relaxed)) wake();
  }

 private:
  end wait(std::int64_t timeout_ns) noexcept;
  void wake() noexcept;

  int watched_;
  doorbell& bell_;
  bool threaded_;
  atl::descriptor rung_;  // an eventfd
  std::atomic<bool> taken_ = false;
};

}  // namespace atl::transport
