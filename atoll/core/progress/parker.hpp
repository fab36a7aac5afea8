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

#include <atoll/base/doorbell.hpp>
#include <atoll/core/progress/attachment_list.hpp>
#include <atoll/transport/descriptor_waiter.hpp>
#include <atoll/transport/transport.hpp>
#include <atoll/transport/watcher.hpp>

#include <algorithm>
#include <span>

namespace atl {

class parker {
 public:
  /// At most one of `watcher` and `descriptor_waiter` is set, and only with networks.
  struct network_side {
    std::span<transport::transport* const> networks;
    transport::watcher* watcher = nullptr;
    transport::descriptor_waiter* descriptor_waiter = nullptr;
  };

  /// Longest sleep while something under way waits for an event that rings no bell.
  static constexpr std::int64_t silent_sleep_ns = 500'000;

  parker(doorbell& bell, const network_side& side, const attachment_list& attachments) noexcept
      : bell_(bell), side_(side), attachments_(attachments) {}

  doorbell::ticket prepare() noexcept {
    woken_ = at_descriptor_ = kept_awake_ = false;
    return listens() ? bell_.prepare() : doorbell::ticket{};
  }

  void sleep(doorbell::ticket drawn, std::int64_t timeout_ns) noexcept {
    if (attachments_.waits_silently()) timeout_ns = std::min(timeout_ns, silent_sleep_ns);
    if (!side_.networks.empty()) {
      for (transport::transport* each : side_.networks) {
        const transport::sleep_terms terms = each->before_sleep();
        kept_awake_ |= !terms.allowed;
        timeout_ns = std::min(timeout_ns, terms.ns_max);
      }
      if (kept_awake_) return;
      if (side_.watcher != nullptr) side_.watcher->watch();
    }
    if (side_.descriptor_waiter != nullptr) {
      const auto end = side_.descriptor_waiter->sleep(drawn, timeout_ns);
      woken_ = end == transport::descriptor_waiter::end::woken;
      at_descriptor_ = end != transport::descriptor_waiter::end::taken;
      if (at_descriptor_) return;
    }
    bell_.sleep(drawn, timeout_ns);
  }

  bool rang_since(doorbell::ticket drawn) const noexcept {
    if (kept_awake_) return true;
    // A thread that stops waiting at the descriptor rings the bell for the next sleeper. It must
    // not take its own ring for a wake-up.
    return at_descriptor_ ? woken_ : listens() && bell_.rang_since(drawn);
  }

 private:
  bool listens() const noexcept {
    return side_.descriptor_waiter == nullptr || side_.descriptor_waiter->threaded();
  }

  doorbell& bell_;
  network_side side_;
  const attachment_list& attachments_;
  bool woken_ = false;
  bool at_descriptor_ = false;  // the last sleep was at the network's descriptor
  bool kept_awake_ = false;     // by the network, which has something to do
};

}  // namespace atl
