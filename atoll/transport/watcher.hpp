// SPDX-License-Identifier: BSD-3-Clause
//
// Rings a doorbell when a descriptor becomes readable, for ranks that sleep at the bell while
// messages may also arrive over a network. It is one thread, which sleeps until watch(). It touches
// only the descriptor of the network, so the network needs no locking because of it.
//
// watch() may find the watcher already at the descriptor. Then the call before serves this sleeper
// too: the ring that ends it comes after `requested_` was found set, and the sleeper has announced
// itself before.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/base/threads/doorbell.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

namespace atl::transport {

class watcher {
 public:
  /// Throws `atl::error` when there can be no thread.
  watcher(int descriptor, doorbell& bell);
  watcher(const watcher&) = delete;
  watcher& operator=(const watcher&) = delete;
  ~watcher();

  /// Watches until the descriptor is readable, once. Any thread.
  void watch() noexcept {
    // acq_rel: pairs with the exchange in run(); a thread that finds it set leaves the watching to
    // that call.
    if (!requested_.exchange(true, std::memory_order_acq_rel)) own_bell_.ring();
  }

 private:
  void run() noexcept;
  void wait_for_request() noexcept;

  int watched_;
  doorbell& bell_;
  atl::descriptor ending_;  // an eventfd
  doorbell own_bell_{};     // the thread sleeps here until watch()
  std::atomic<bool> requested_ = false;
  std::atomic<bool> end_ = false;
  std::jthread thread_;
};

}  // namespace atl::transport
