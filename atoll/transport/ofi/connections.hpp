// SPDX-License-Identifier: BSD-3-Clause
//
// Connections of the kernel's: descriptors for them, and their send buffers. A provider over the
// kernel's sockets keeps a connection open to every rank that it has talked to, and each is a
// descriptor of this process. The soft limit of 1,024 that is usual is for programs that call
// select(); the hard one is what an administrator allows.
#pragma once

#include <atoll/base/rank.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace atl::transport::ofi {

/// Lets this process open a connection to each of this many ranks besides what it has open, and
/// leaves the program as much room as it had: raises the soft limit where that is needed, up to the
/// hard one. Returns what to warn of when even that is too little, else nothing.
std::string make_room_for_connections(rank_id others);

/// Limits what the kernel takes from this process ahead of its peer, on connections to the socket
/// address `peer` and on those that were accepted at `own` from the peer's host, whichever rank of
/// it has made them: about `bytes`, or what an administrator allows. Others, also those that are
/// accepted later, stay as they are. Returns the number of these connections. A descriptor that
/// another thread gives to another socket in this moment may be limited instead.
std::size_t limit_send_buffers(std::span<const std::byte> own, std::span<const std::byte> peer,
                               std::size_t bytes) noexcept;

}  // namespace atl::transport::ofi
