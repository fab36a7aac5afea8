// SPDX-License-Identifier: BSD-3-Clause
//
// How the threads of one rank wait: how long they spin before they sleep, which follows from how
// many ranks share how many cores, and where they sleep, which follows from whether a network can
// wake them. Chosen once at start, when all ranks have told how many cores they may use; a front
// may change the mode later for waits that begin then.
//
// Threads: choosing, watching and its end are set-up; the rest by any thread.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/base/threads/doorbell.hpp>
#include <atoll/base/threads/waiter.hpp>
#include <atoll/core/progress/attachment_list.hpp>
#include <atoll/core/progress/parker.hpp>
#include <atoll/transport/descriptor_waiter.hpp>
#include <atoll/transport/transport.hpp>
#include <atoll/transport/watcher.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace atl {

class wait_control {
 public:
  wait_control(doorbell& bell, const attachment_list& attachments) noexcept
      : bell_(bell), attachments_(attachments) {}
  wait_control(const wait_control&) = delete;
  wait_control& operator=(const wait_control&) = delete;

  /// Longest sleep of a wait whose condition rings the bell, where nothing keeps the ringer from
  /// doing so.
  static constexpr std::int64_t rung_sleep_ns = 100'000'000;

  /// Chooses for these conditions. `bell_sleep_ns`: the longest sleep of a wait whose condition
  /// rings the bell.
  void choose(wait_mode mode, const wait_conditions& conditions, std::int64_t bell_sleep_ns);
  /// Sets the mode of waits that begin from now on.
  void change(wait_mode mode) noexcept;

  bool is_oversubscribed() const noexcept { return terms_.is_oversubscribed; }
  wait_policy policy() const noexcept { return terms_.policy.load(std::memory_order_relaxed); }
  std::int64_t bell_sleep_ns() const noexcept { return terms_.bell_sleep_ns; }
  /// The same two, at one address for the life of this object.
  const wait_terms& terms() const noexcept { return terms_; }

  /// Lets sleeping threads be woken by what comes from networks too. `alone`: no neighbour rings
  /// the bell. The list stays valid, and end_watch() is called before the networks end.
  void watch(std::span<transport::transport* const> networks, bool alone, bool threaded);
  void end_watch() noexcept;

  /// A place at which one wait can sleep.
  parker park() const noexcept { return parker(*this); }

  /// Wakes the threads of this rank that sleep in a wait.
  void wake() noexcept {
    bell_.ring();
    if (network_side_.descriptor_waiter != nullptr) network_side_.descriptor_waiter->ring();
  }

  /// Gives away, in a forked child, the threads and descriptors that its parent uses.
  std::unique_ptr<transport::watcher> release_watcher() noexcept { return std::move(watcher_); }
  std::unique_ptr<transport::descriptor_waiter> release_descriptor_waiter() noexcept {
    return std::move(descriptor_waiter_);
  }

 private:
  friend class parker;

  /// At most one of `watcher` and `descriptor_waiter` is set, and only with networks.
  struct network_side {
    std::span<transport::transport* const> networks;
    transport::watcher* watcher = nullptr;
    transport::descriptor_waiter* descriptor_waiter = nullptr;
  };

  bool listens() const noexcept {
    return descriptor_waiter_ == nullptr || descriptor_waiter_->threaded();
  }

  doorbell& bell_;
  const attachment_list& attachments_;
  wait_conditions conditions_;  // of the ranks of the host, or of all on the machine
  wait_terms terms_{.bell_sleep_ns = rung_sleep_ns};
  atl::descriptor joined_;                       // those of several networks
  std::unique_ptr<transport::watcher> watcher_;  // of the networks' descriptor, if there is one
  std::unique_ptr<transport::descriptor_waiter> descriptor_waiter_;  // instead, without neighbours
  network_side network_side_;                                        // points to those
};

}  // namespace atl
