// SPDX-License-Identifier: BSD-3-Clause
//
// epoll behind numbered registrations. It is level-triggered: data that a callback leaves unread
// are reported again by the next wait. Events are fetched first and called back later, so that the
// supervisor can look at ended processes in between.
#include <atoll/base/error.hpp>
#include <tools/run/event_loop.hpp>

#include <cerrno>
#include <utility>

namespace atl::tools {

event_loop::event_loop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_)
    throw error("launcher", "epoll_create1 failed: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
}

event_loop::token event_loop::add(int descriptor, std::uint32_t events, callback call) {
  epoll_event wanted{};
  wanted.events = events;
  wanted.data.u64 = next_;
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &wanted) != 0)
    throw error("launcher", "epoll_ctl failed: " + errno_text(errno), "");
  registrations_.emplace(next_, registration{descriptor, std::move(call)});
  return next_++;
}

void event_loop::modify(token which, std::uint32_t events) {
  const auto found = registrations_.find(which);
  if (found == registrations_.end()) return;
  epoll_event wanted{};
  wanted.events = events;
  wanted.data.u64 = which;
  epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, found->second.descriptor, &wanted);
}

void event_loop::remove(token which) {
  const auto found = registrations_.find(which);
  if (found == registrations_.end()) return;
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, found->second.descriptor, nullptr);
  registrations_.erase(found);
}

void event_loop::wait(int timeout_ms) {
  happened_count_ =
      epoll_wait(epoll_.get(), happened_.data(), static_cast<int>(happened_.size()), timeout_ms);
  if (happened_count_ < 0) happened_count_ = 0;  // interrupted: the caller waits again
}

void event_loop::dispatch() {
  const int count = std::exchange(happened_count_, 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event event =
        happened_[static_cast<std::size_t>(i)];  // a copy: packed, so unaligned
    const std::uint64_t number = event.data.u64;
    const auto found = registrations_.find(number);
    if (found == registrations_.end()) continue;
    const auto call = found->second.call;  // a copy: the callback may remove its registration
    call(event.events);
  }
}

}  // namespace atl::tools
