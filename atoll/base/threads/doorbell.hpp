// SPDX-License-Identifier: BSD-3-Clause
//
// A doorbell lets a rank sleep until another rank, in this or another process, has something for
// it. It lies in memory that both map, and zero bytes are a valid doorbell without a sleeper. The
// design favours the sender: a ring when nobody sleeps is one plain load, with no fence and no
// write to shared memory, so that sending stays as fast as if sleeping did not exist.
//
//     sender                          sleeper
//     S1 make the condition true      W0 draw a ticket, W1 announce: asleep = 1
//     S2 load asleep; if set, wake    W2 asymmetric fence (membarrier)
//                                     W3 check the condition; W4 sleep while the ticket is valid
//
// One of the two must see the other: S2 the announcement or W3 the condition. Normally both sides
// would need a store-load fence. Here the sleeper pays for both: membarrier(GLOBAL_EXPEDITED) makes
// every running thread of every registered process execute a full fence at some point between W1
// and W3. If that point is after S2 in the sender's order, S1 is before it too and W3 sees the
// condition; if it is before S2, then S2 comes after W1 and sees the announcement. In the sender
// only the compiler must keep S1 before S2. So every process that rings calls
// doorbell::register_process() first.
//
// membarrier interrupts all cores that run the job, too often where ranks share cores. There
// make_ringers_fence() sends every ringer out of line to fence, and the sleeper fences alone.
//
// Where the kernel or a seccomp filter refuses membarrier, the guarantee is lost; then no sleep
// lasts longer than 1 ms, and a ring that was missed is found by the check after that.
//
// The sender that finds `asleep` set takes it with an exchange, so of many senders one pays for
// the wake and the others find 0 again. The others are safe: the taker's wake follows, and the
// sleeper announces and fences anew before it sleeps again. A taker may also come late, for a
// condition that the sleeper has long seen, and take the announcement of its next sleep; because
// the ticket is drawn before W1, that sleep then ends at once instead of going on with nothing
// announced.
#pragma once

#include <atoll/base/system/cpu.hpp>

#include <atomic>
#include <cstdint>
#include <limits>

namespace atl {

/// A bell in possibly shared memory. Any number of threads and processes may ring and sleep.
class alignas(cache_line) doorbell {
 public:
  doorbell() = default;
  doorbell(const doorbell&) = delete;
  doorbell& operator=(const doorbell&) = delete;

  /// Proof of having announced; sleep() returns at once when the bell rang since it was drawn.
  using ticket = std::uint32_t;

  static constexpr std::int64_t forever_ns = std::numeric_limits<std::int64_t>::max();

  /// Prepares this process to ring. False where membarrier is refused: sleeps are then short.
  /// Idempotent; call before the first ring.
  static bool register_process() noexcept;

  /// Wakes all sleepers, after the condition they wait for was made true (by a store of any order).
  void ring() noexcept {
    // Compiler only: keeps the store of the condition above the load. See the essay above.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (asleep_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      wake();
  }

  /// From now on each ringer executes a fence of its own, and no sleeper interrupts others: for a
  /// bell at which threads sleep often. Any process may call it, after register_process(). It is
  /// never undone.
  void make_ringers_fence() noexcept;

  /// The longest sleep: for ever, or 1 ms where membarrier is refused. For threads that announce
  /// themselves here and sleep elsewhere.
  static std::int64_t longest_sleep_ns() noexcept;

  /// Announces a sleeper. The caller then checks its condition once more, and calls sleep() only
  /// when it is still false; it need not undo anything otherwise (at worst one ring wakes nobody).
  ticket prepare() noexcept;

  /// Sleeps until a ring since prepare(), or the time-out; may also return early for no reason.
  void sleep(ticket drawn, std::int64_t timeout_ns = forever_ns) noexcept;

  /// The bit of the word that says that a sleeper is there; it is taken by the waker. For inline
  /// code of C programs, which calls the library where it finds the bit.
  static constexpr std::uint32_t announced = 1;
  const std::atomic<std::uint32_t>* word() const noexcept { return &asleep_; }

  /// Whether the bell was rung for a sleeper since the ticket was drawn.
  bool rang_since(ticket drawn) const noexcept {
    return rings_.load(std::memory_order_relaxed) != drawn;  // a hint for policies: orders nothing
  }

 private:
  void wake() noexcept;

  static constexpr std::uint32_t ringers_fence = 2;  // stays once it is set

  std::atomic<std::uint32_t> asleep_;  // announced, ringers_fence
  std::atomic<std::uint32_t> rings_;   // the futex word: counts wakes
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "a futex word must be a plain word");
static_assert(sizeof(doorbell) == cache_line);

}  // namespace atl
