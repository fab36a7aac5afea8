// SPDX-License-Identifier: BSD-3-Clause
//
// How this rank reaches a peer's part of a segment: one row per peer, whose layout inline code of
// every front reads (atoll/abi.h). If the part is mapped here, one subtraction and one addition
// turn an address of the peer into an address of this process. The comparison that checks the
// bounds also tells whether there is a mapping at all: a row without one has word_places 0. This
// single `if` is the whole cost of locality on the hot path.
#pragma once

#include <atoll/abi.h>

#include <cstddef>
#include <cstdint>

namespace atl {

/// One row of a segment's table.
struct route : atoll_route {
  constexpr route() noexcept : atoll_route{} {}

  /// The address in this process of `size` bytes at the peer's `address`; null when the size is
  /// 0, or the bytes are out of the part or not directly reachable.
  std::byte* direct(const void* address, std::size_t size) const noexcept {
    return reinterpret_cast<std::byte*>(atoll_route_find(this, address, size));
  }

  /// The same for inline code, which leaves the last bytes of a part to the library.
  std::byte* direct_inline(const void* address, std::size_t size) const noexcept {
    return reinterpret_cast<std::byte*>(atoll_route_find_inline(this, address, size));
  }

  /// Loads and stores reach so many bytes. A part that is smaller than a word is not reached.
  void set_direct_bytes(std::size_t size) noexcept { word_places = size < 8 ? 0 : size - 7; }

  /// Whether the bytes lie inside the peer's part.
  bool contains(const void* address, std::size_t size) const noexcept {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - remote;
    return size <= bytes && offset <= bytes - size;
  }

  /// The part as its owner addresses it.
  std::byte* base() const noexcept { return reinterpret_cast<std::byte*>(remote); }
};
static_assert(sizeof(route) == sizeof(atoll_route));

}  // namespace atl
