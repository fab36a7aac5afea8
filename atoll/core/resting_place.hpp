// SPDX-License-Identifier: BSD-3-Clause
//
// Where a rank sleeps: at its doorbell, which neighbours and its own threads ring; and when it has
// a network, with a watcher posted at the network's descriptor who rings the same bell. A thread
// can sleep at a futex or at a descriptor but not at both, so somebody must translate: the sender
// of shared memory stays as cheap as it is (one load), and the network's side pays a thread that
// exists only where there is a network and runs only when its rank sleeps.
//
//     announce at the bell; poll once more; ask the network (it sends what it held back and says
//     whether something has come); post the watcher; sleep
//
// What comes before the network is asked is seen by it; what comes after makes the descriptor
// readable, the watcher rings, and the announcement was made before all that. A network without a
// descriptor, or one that must be polled now and then to repeat what was lost, limits the sleep.
#pragma once

#include <atoll/base/doorbell.hpp>
#include <atoll/transport/transport.hpp>
#include <atoll/transport/watcher.hpp>

#include <algorithm>

namespace atl {

class resting_place {
 public:
  resting_place(doorbell& bell, transport::transport* network, transport::watcher* watcher) noexcept
      : bell_(bell), network_(network), watcher_(watcher) {}

  doorbell::ticket prepare() noexcept { return bell_.prepare(); }

  void sleep(doorbell::ticket drawn, std::int64_t timeout_ns) noexcept {
    if (network_ != nullptr) {
      const transport::sleep_terms terms = network_->before_sleep();
      if (!terms.allowed) return;
      timeout_ns = std::min(timeout_ns, terms.ns_max);
      if (watcher_ != nullptr) watcher_->post();
    }
    bell_.sleep(drawn, timeout_ns);
  }

  bool rang_since(doorbell::ticket drawn) const noexcept { return bell_.rang_since(drawn); }

 private:
  doorbell& bell_;
  transport::transport* network_;
  transport::watcher* watcher_;
};

}  // namespace atl
