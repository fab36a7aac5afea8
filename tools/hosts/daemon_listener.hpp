// SPDX-License-Identifier: BSD-3-Clause
//
// The sockets to which daemons connect, and the connections that have not proven the key yet. A
// stranger costs one descriptor and a handshake's bytes for a few seconds; then it is dropped.
//
// There is room for every daemon that is expected and for a crowd of strangers besides. When that
// is full, the address with the most connections loses the oldest of them: strangers of one machine
// displace each other and no daemon of another machine. When this process has no descriptor left,
// no connection is dropped, because the only one may be the expected daemon; the listeners rest
// until a connection has proven the key or its time is over.
#pragma once

#include <tools/hosts/link.hpp>
#include <tools/hosts/network.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace atl::tools {

class daemon_listener {
 public:
  /// `expected` counts the daemons that will call. `arrived` gets each link that is proven, and
  /// gives it its events. Throws `atl::error` when none of the addresses can be listened at.
  daemon_listener(event_loop& loop, const secret& key, std::vector<inet_address> addresses,
                  std::size_t expected, std::function<void(std::shared_ptr<link>)> arrived);
  ~daemon_listener();

  /// The addresses to connect to.
  const std::vector<inet_address>& addresses() const { return addresses_; }

  /// Drops callers that take too long, and ends a rest; call it about every second.
  void tick(link::clock::time_point now);

 private:
  struct listener {
    descriptor socket;
    event_loop::token token = 0;
  };
  /// A caller that has not proven itself.
  struct caller {
    std::shared_ptr<link> connection;
    std::string machine;  // its address without the port
  };
  void accept_some(const descriptor& from);
  void drop_one();
  void listen(bool to_callers);
  void proven(link& which);
  void forget(const link& which);

  event_loop& loop_;
  const secret& key_;
  std::function<void(std::shared_ptr<link>)> arrived_;
  std::vector<listener> listeners_;
  std::vector<inet_address> addresses_;
  std::deque<caller> waiting_;  // the oldest first
  std::size_t waiting_max_;
  bool is_paused_ = false;  // for lack of descriptors
};

}  // namespace atl::tools
