// SPDX-License-Identifier: BSD-3-Clause
//
// Waits on descriptors with epoll and calls back. One thread. A callback may add and remove any
// descriptor, its own included: registrations are found by a number that is never used twice, so an
// event that was fetched for a removed descriptor finds nothing, even if the kernel has given its
// number to a new one.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace atl::tools {

class event_loop {
 public:
  using callback = std::function<void(std::uint32_t events)>;
  using token = std::uint64_t;

  /// Throws `atl::error` when the kernel has no epoll descriptor for us.
  event_loop();

  token add(int descriptor, std::uint32_t events, callback call);
  void modify(token which, std::uint32_t events);
  void remove(token which);

  /// Waits up to `timeout_ms` (-1: for ever) and keeps what has happened for dispatch().
  void wait(int timeout_ms);

  /// Calls back for everything that the last wait brought.
  void dispatch();

 private:
  struct registration {
    int descriptor;
    callback call;
  };

  descriptor epoll_;
  token next_ = 1;
  std::unordered_map<token, registration> registrations_;
  std::array<epoll_event, 64> happened_;
  int happened_count_ = 0;
};

}  // namespace atl::tools
