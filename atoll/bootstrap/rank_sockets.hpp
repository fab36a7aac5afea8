// SPDX-License-Identifier: BSD-3-Clause
//
// Stream sockets between ranks, within a host and between hosts, with blocking calls: listening,
// calling, and whole messages. Every function throws `atl::error` that names the peer's rank,
// unless it says otherwise.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/descriptor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace atl::bootstrap {

/// Fills memory from the kernel's random source.
void fill_randomly(std::span<std::byte> bytes);

/// Listens at an abstract Unix socket under a random name; connects to the one of a peer.
descriptor listen_on_this_host(std::string& name);
descriptor call_on_this_host(const std::string& name, rank_id peer);

/// Listens at a TCP port on all addresses of this machine.
descriptor listen_on_networks(std::uint16_t& port);
/// These addresses as text: of the interface with this name or address, or where that is empty of
/// all but loopback. Interfaces that are down do not count. Throws `error` when there are none.
std::vector<std::string> addresses_of(const std::string& interface);

/// Connects to a peer; tries the addresses in turn.
descriptor call_over_networks(const std::vector<std::string>& addresses, std::uint16_t port,
                              rank_id peer);

/// Connects over TCP to a server by name and port, for launchers that are reached so.
descriptor call_server(const std::string& host, const std::string& port);

/// Waits until one of the sockets has something; numbers below 0 are left out.
void wait_for_input(std::span<const int> sockets, std::chrono::milliseconds timeout);

/// A connection that waits at a listener; empty when there is none. Does not throw.
descriptor accept_one(const descriptor& listener) noexcept;

/// Writes or reads all of it; false when the peer has closed the connection.
bool write_fully(const descriptor& to, std::span<const std::byte> data) noexcept;
bool read_fully(const descriptor& from, std::span<std::byte> into) noexcept;

}  // namespace atl::bootstrap
