// SPDX-License-Identifier: BSD-3-Clause
//
// Stream sockets of the Internet protocols, for ranks and for the launcher: this machine's
// addresses, listening, and connecting in a given time. Link-local addresses (fe80::) are left out:
// they mean nothing without the number of an interface on the other machine.
//
// Nothing here throws but for want of memory; the callers know what the peer is called.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::bootstrap {

/// An IPv4 or IPv6 address with a port.
struct inet_address {
  sockaddr_storage raw{};
  socklen_t length = 0;

  /// The address of the system's structure, which must be of one of the two families.
  static inet_address of(const sockaddr* raw);
  /// All addresses of this machine, of AF_INET or AF_INET6; port 0.
  static inet_address any(int family);
  /// The inverse of text().
  static std::optional<inet_address> parse(std::string_view text);

  std::string digits() const;  // "10.1.0.5"
  std::string text() const;    // "10.1.0.5 4711"
  int family() const { return raw.ss_family; }
  std::uint16_t port() const;
  void set_port(std::uint16_t port);
  /// The bytes of the address itself, 4 or 16.
  std::span<const unsigned char> bytes() const;
  bool is_link_local() const;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&raw); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&raw); }
};

/// An address of an interface of this machine.
struct interface_address {
  std::string interface;
  inet_address address;
  bool is_loopback = false;
};

/// The addresses of all interfaces that are up, with ports 0. Empty, with errno, when the system
/// does not tell them, and when there are none (ENETDOWN).
std::vector<interface_address> own_addresses();

/// A listening socket, which does not block. A port 0 is replaced by one that the kernel chooses.
/// `takes_ipv4`: one of IPv6 takes connections of IPv4, too. Empty, with errno, when that fails.
descriptor listen_at(inet_address& address, int backlog, bool takes_ipv4 = false);

/// A connected socket, which does not block; empty, with the number of the error in `failed`, when
/// there is none in time.
descriptor connect_in_time(const sockaddr* to, socklen_t length, std::chrono::milliseconds time,
                           int& failed);

}  // namespace atl::bootstrap
