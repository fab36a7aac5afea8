// SPDX-License-Identifier: BSD-3-Clause
//
// How this rank reaches the memory of a peer. One row per peer, filled when segments are bound: if
// the peer's segment is mapped here, an address that the peer would use becomes an address that we
// use by one subtraction and one addition, and the same comparison that checks the bounds also says
// whether there is a mapping at all (a row without one has direct_bytes 0). That single `if` is the
// whole cost of locality on the hot path.
#pragma once

#include <atoll/base/rank.hpp>

#include <cstddef>
#include <cstdint>

namespace atl {

/// One row of the path table.
struct path {
  std::byte* local_base = nullptr;  // where this process sees the start of the peer's segment
  std::uintptr_t remote_base = 0;   // the peer's own address of it
  std::size_t direct_bytes = 0;     // reachable by loads and stores; 0: not mapped, or forced off
  std::size_t segment_bytes = 0;    // bytes of the peer's segment, whatever the way; 0: unbound

  /// The address in this process of `bytes` bytes at the peer's address `there`; null when they are
  /// out of the segment or not directly reachable.
  std::byte* direct(const void* there, std::size_t bytes) const noexcept {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(there) - remote_base;
    // `offset` wraps to a huge number below the base, so one comparison does for both ends.
    if (bytes <= direct_bytes && offset <= direct_bytes - bytes) return local_base + offset;
    return nullptr;
  }

  /// Whether the bytes lie inside the peer's segment.
  bool contains(const void* there, std::size_t bytes) const noexcept {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(there) - remote_base;
    return bytes <= segment_bytes && offset <= segment_bytes - bytes;
  }
};

}  // namespace atl
