// SPDX-License-Identifier: BSD-3-Clause
//
// How to wait: poll with a pause between polls, then poll and yield the core, then sleep on a
// doorbell. Each step costs less of the machine and more latency than the one before. The time in
// each step is a policy, a plain value computed once at start: with a core per rank, spinning is
// free and fastest; with more ranks than cores, a rank that spins keeps the rank that it waits for
// from running.
//
// Progress made while waiting starts the steps anew: more is likely to follow.
#pragma once

#include <atoll/base/threads/doorbell.hpp>

#include <cstdint>

namespace atl {

/// The values of ATOLL_WAIT, in the order of its choices.
enum class wait_mode : std::uint8_t { automatic, spin, yield, sleep };

/// The number of polls in each step. A copyable value; the same for all waits of a runtime, which
/// keeps it in an atomic of eight bytes.
struct wait_policy {
  static constexpr std::uint16_t endless = 0xffff;

  std::uint16_t spins = 0;   // polls with a pause between
  std::uint16_t yields = 0;  // then polls with sched_yield between, then sleeps
  // A yield that took longer gave the core to a thread with work of its own: sleep in the next
  // waits, because a thread that sleeps gets the core back at once when it is rung, and a thread
  // that yields is last in turn. 0: however long.
  std::uint32_t yield_ns_max = 0;
};
static_assert(sizeof(wait_policy) == 8);

/// The conditions under which the ranks of a host wait.
struct wait_conditions {
  unsigned ranks = 1;
  unsigned cores = 1;        // that they share
  bool has_network = false;  // polls ask the kernel, too
};

/// The policy for a host. Where every rank has a core, `automatic` spins a few us (with a network
/// some tens) and yields about 200 us (1 ms); elsewhere it yields a few times without spinning.
wait_policy choose_wait_policy(wait_mode mode, const wait_conditions& conditions) noexcept;

/// The result of one poll.
enum class poll_result : std::uint8_t { idle, progress, done };

/// Where one wait stands in its policy. For loops that need more than wait_until().
class waiter {
 public:
  explicit waiter(const wait_policy& policy) noexcept : policy_(policy) {}

  /// Starts the steps anew.
  void reset() noexcept { polls_ = 0; }

  /// Pauses or yields, as the policy says; false when it says sleep.
  bool stay_awake() noexcept {
    if (polls_ < policy_.spins) {
      if (polls_ >= eager_polls) pause();
      if (polls_ < eager_polls || policy_.spins != wait_policy::endless) ++polls_;
      return true;
    }
    return yield();
  }

 private:
  static constexpr std::uint32_t eager_polls = 64;  // first, without a pause: for what is under way

  bool yield() noexcept;
  bool yield_briefly() noexcept;

  wait_policy policy_;
  std::uint32_t polls_ = 0;
};

/// Calls `poll` until it returns done; idle calls are spaced by the policy. Sleeps on `bell` at
/// most `sleep_ns_max` at a time: forever where every change that `poll` looks for rings the
/// bell, less where it also looks for changes that do not. `poll` must be safe to call once more
/// between announcing and sleeping; it must not sleep on the same bell itself. `bell` is a
/// doorbell, or another object with its prepare(), sleep() and rang_since().
template <class Bell, class Poll>
void wait_until(const wait_policy& policy, Bell& bell, Poll&& poll,
                std::int64_t sleep_ns_max = doorbell::forever_ns) {
  waiter steps(policy);
  for (;;) {
    poll_result found = poll();
    if (found == poll_result::idle) {
      if (steps.stay_awake()) continue;
      const auto ticket = bell.prepare();
      found = poll();
      if (found == poll_result::idle) {
        bell.sleep(ticket, sleep_ns_max);
        if (!bell.rang_since(ticket)) continue;  // a time-out: look once, and sleep again
      }
    }
    if (found == poll_result::done) return;
    steps.reset();
  }
}

}  // namespace atl
