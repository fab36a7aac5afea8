// SPDX-License-Identifier: BSD-3-Clause
//
// This machine's addresses, and which of them the launcher listens at: those that the user names
// (--interface), else the one that leads to a host, else all that are up - when only the remote
// shell knows the name of a host.
#pragma once

#include <atoll/base/descriptor.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::tools {

/// An IPv4 or IPv6 address with a port.
struct inet_address {
  sockaddr_storage raw{};
  socklen_t length = 0;

  std::string text() const;  // "10.1.0.5 4711"
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&raw); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&raw); }

  /// Takes what text() gives.
  static std::optional<inet_address> parse(std::string_view text);
};

/// Where to listen for these hosts, ports left 0. Throws `launch_refusal` when `interface` names
/// nothing here.
std::vector<inet_address> addresses_for(const std::vector<std::string>& hosts,
                                        const std::string& interface);

/// The interface of this machine that leads to others: that of our end of the connection, or, when
/// that is the loopback because whom we called is here, of the first other address of ours among
/// those that `called` names. Empty when it is not known.
std::string interface_to_others(const descriptor& connected,
                                const std::vector<inet_address>& called);

/// A listening socket at a port that the kernel chooses; puts it into `at`. Empty when it cannot
/// be.
descriptor listen_at(inet_address& address_);

/// A connection to the first of them that takes it, trying again until then; `which` tells the one.
/// Empty, and the last cause in `why`, when none does.
descriptor connect_to_any(const std::vector<inet_address>& to,
                          std::chrono::steady_clock::time_point deadline, std::size_t& which,
                          std::string& reason);

}  // namespace atl::tools
