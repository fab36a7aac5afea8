// SPDX-License-Identifier: BSD-3-Clause
//
// Where daemons call: listening sockets and those who have called but not proven themselves yet.
// A stranger costs one descriptor and a handshake's bytes, for a few seconds: then it is dropped.
// When too many wait, the one that has waited longest goes, so strangers cannot keep a daemon out.
#pragma once

#include <tools/hosts/link.hpp>
#include <tools/hosts/network.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace atl::tools {

class gate {
 public:
  /// `arrived` gets each link that is proven, and gives it its events. Throws `atl::error` when
  /// none of the addresses can be listened at.
  gate(event_loop& loop, const secret& key, std::vector<address> at,
       std::function<void(std::shared_ptr<link>)> arrived);
  ~gate();

  /// Where to call.
  const std::vector<address>& addresses() const { return addresses_; }

  /// Drops who takes too long; call it about every second.
  void tick(link::clock::time_point now);

 private:
  struct listener {
    descriptor socket;
    event_loop::token token = 0;
  };
  void accept_all(const descriptor& from);
  void proven(link& which);
  void forget(const link& which);

  event_loop& loop_;
  const secret& key_;
  std::function<void(std::shared_ptr<link>)> arrived_;
  std::vector<listener> listeners_;
  std::vector<address> addresses_;
  std::deque<std::shared_ptr<link>> waiting_;  // the oldest first
};

}  // namespace atl::tools
