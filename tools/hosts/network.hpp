// SPDX-License-Identifier: BSD-3-Clause
//
// Which of this machine's addresses the launcher listens at: those that the user names
// (--interface), else the one that leads to a host, else all that are up - when only the remote
// shell knows the name of a host.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/bootstrap/inet_sockets.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace atl::tools {

using bootstrap::inet_address;

/// The addresses to listen at for these hosts, with ports 0. Throws `launch_refusal` when there is
/// no interface of that name here.
std::vector<inet_address> addresses_for(const std::vector<std::string>& hosts,
                                        const std::string& interface);

/// The interface of this machine that leads to others: that of our end of the connection. When the
/// peer is on this machine and so that is the loopback, the interface of our first other address
/// among those in `called`. Empty when it is not known.
std::string interface_to_others(const descriptor& connected,
                                const std::vector<inet_address>& called);

/// A connection to the first address that accepts it, tried again until the deadline; `which` gets
/// its index. Empty, with the last cause in `reason`, when none does.
descriptor connect_to_any(const std::vector<inet_address>& to,
                          std::chrono::steady_clock::time_point deadline, std::size_t& which,
                          std::string& reason);

}  // namespace atl::tools
