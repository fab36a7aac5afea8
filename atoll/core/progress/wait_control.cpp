// SPDX-License-Identifier: BSD-3-Clause
//
// The choices of how to wait; they are made at start and seldom later.
#include <atoll/core/progress/wait_control.hpp>

namespace atl {

// Where ranks share cores, the threads that ring the bell fence, so that the sleeper need not
// interrupt every core with a system call.
void wait_control::choose(wait_mode mode, const wait_conditions& conditions,
                          std::int64_t bell_sleep_ns) {
  conditions_ = conditions;
  bell_sleep_ns_ = bell_sleep_ns;
  if (is_oversubscribed()) bell_.make_ringers_fence();
  change(mode);
}

void wait_control::change(wait_mode mode) noexcept {
  policy_.store(choose_wait_policy(mode, conditions_), std::memory_order_relaxed);
}

void wait_control::watch(transport::transport& network, bool alone, bool threaded) {
  const int descriptor = network.describe().wait_descriptor;
  if (descriptor >= 0 && alone) {
    lone_ = std::make_unique<transport::descriptor_waiter>(descriptor, bell_, threaded);
  } else if (descriptor >= 0) {
    watcher_ = std::make_unique<transport::watcher>(descriptor, bell_);
  }
  network_side_ = {.network = &network, .watcher = watcher_.get(), .lone = lone_.get()};
}

void wait_control::end_watch() noexcept {
  network_side_ = {};
  watcher_.reset();
  lone_.reset();
}

}  // namespace atl
