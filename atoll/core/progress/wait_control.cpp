// SPDX-License-Identifier: BSD-3-Clause
//
// The choices of how to wait; they are made at start and seldom later.
#include <atoll/core/progress/wait_control.hpp>

#include <atoll/base/error.hpp>

#include <sys/epoll.h>

#include <cerrno>
#include <vector>

namespace atl {

// Where ranks share cores, the threads that ring the bell fence, so that the sleeper need not
// interrupt every core with a system call.
void wait_control::choose(wait_mode mode, const wait_conditions& conditions,
                          std::int64_t bell_sleep_ns) {
  conditions_ = conditions;
  terms_.bell_sleep_ns = bell_sleep_ns;
  terms_.is_oversubscribed = conditions.ranks > conditions.cores;
  if (is_oversubscribed()) bell_.make_ringers_fence();
  change(mode);
}

void wait_control::change(wait_mode mode) noexcept {
  terms_.policy.store(choose_wait_policy(mode, conditions_), std::memory_order_relaxed);
}

namespace {

/// One descriptor that is readable when one of several is.
descriptor join(std::span<const int> several) {
  descriptor joined(::epoll_create1(EPOLL_CLOEXEC));
  for (const int each : several) {
    epoll_event readable{};
    readable.events = EPOLLIN;
    if (joined && ::epoll_ctl(joined.get(), EPOLL_CTL_ADD, each, &readable) == 0) continue;
    throw error("networks", "epoll: " + errno_text(errno),
                "raise the limit of open files (ulimit -n), or name one network");
  }
  return joined;
}

}  // namespace

void wait_control::watch(std::span<transport::transport* const> networks, bool alone,
                         bool threaded) {
  std::vector<int> descriptors;
  for (const transport::transport* each : networks)
    if (const int own = each->describe().wait_descriptor; own >= 0) descriptors.push_back(own);
  if (descriptors.size() > 1) joined_ = join(descriptors);
  const int descriptor = joined_ ? joined_.get() : descriptors.empty() ? -1 : descriptors.front();
  if (descriptor >= 0 && alone) {
    descriptor_waiter_ =
        std::make_unique<transport::descriptor_waiter>(descriptor, bell_, threaded);
  } else if (descriptor >= 0) {
    watcher_ = std::make_unique<transport::watcher>(descriptor, bell_);
  }
  network_side_ = {.networks = networks,
                   .watcher = watcher_.get(),
                   .descriptor_waiter = descriptor_waiter_.get()};
}

void wait_control::end_watch() noexcept {
  network_side_ = {};
  watcher_.reset();
  descriptor_waiter_.reset();
  joined_ = {};
}

}  // namespace atl
