// SPDX-License-Identifier: BSD-3-Clause
//
// A parker: where a thread of a rank sleeps. Without a network it sleeps at the rank's doorbell,
// which neighbours and threads of the rank ring. With a network and neighbours it sleeps there too,
// and a watcher at the network's descriptor rings the same bell: a thread can sleep at a
// futex or at a descriptor but not at both, so a second thread waits at the descriptor for it. A
// sender over shared memory stays as cheap as it is (one load), and the network's side pays for a
// thread that runs only while its rank sleeps. With a network and without neighbours the thread
// sleeps at the descriptor itself (transport/descriptor_waiter.hpp).
//
//     announce at the bell; poll once more; ask the network (it sends what it held back and says
//     whether something has come); sleep
//
// The network sees whatever arrives before it is asked; whatever arrives later makes the descriptor
// readable, and the announcement was made before all that. Several networks are asked one after the
// other, and one descriptor stands for all of theirs. A network without a descriptor, or one
// that must be polled now and then to repeat lost packets, limits the sleep. So does an attachment
// that waits for room at a peer, which may ring no bell.
#pragma once

#include <atoll/base/threads/doorbell.hpp>
#include <atoll/base/threads/waiter.hpp>

#include <atomic>
#include <cstdint>

namespace atl {

class wait_control;

/// The values that a wait reads when it begins, chosen by the wait_control of its rank.
struct wait_terms {
  std::atomic<wait_policy> policy;  // relaxed: a value by itself, that orders nothing
  std::int64_t bell_sleep_ns = 0;   // the longest sleep when the condition rings the bell
  bool is_oversubscribed = false;   // whether the ranks of this host share cores
};

/// The place of one wait, for atl::wait_until(). Its functions are only called when a wait has
/// nothing to do but sleep.
class parker {
 public:
  /// Longest sleep while something under way waits for an event that rings no bell.
  static constexpr std::int64_t silent_sleep_ns = 500'000;

  explicit parker(const wait_control& at) noexcept : at_(at) {}

  doorbell::ticket prepare() noexcept;
  void sleep(doorbell::ticket drawn, std::int64_t timeout_ns) noexcept;
  bool rang_since(doorbell::ticket drawn) const noexcept;

 private:
  const wait_control& at_;
  bool woken_ = false;
  bool at_descriptor_ = false;  // the last sleep was at the network's descriptor
  bool kept_awake_ = false;     // by the network, which has something to do
};

}  // namespace atl
