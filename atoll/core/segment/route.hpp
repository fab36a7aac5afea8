// SPDX-License-Identifier: BSD-3-Clause
//
// How this rank reaches a peer's part of a segment: one row per peer, whose layout inline code of
// every front reads (atoll/abi.h). If the part is mapped here at the peer's own addresses, an
// address of the peer is one of this process. The comparison that checks the bounds also tells
// whether it is: a row without a mapping has word_places 0, and in one that is mapped elsewhere no
// address is near enough. This single `if` is the whole cost of locality on the hot path. A part
// that is mapped elsewhere takes the second way, by one subtraction and one addition.
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
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - remote();
    if (!atoll_route_reaches(this, offset, size)) return nullptr;
    return reinterpret_cast<std::byte*>(local + offset);
  }

  /// The same in fewer steps; null as well where the part is mapped at another address than its
  /// owner's.
  std::byte* same_address(const void* address, std::size_t size) const noexcept {
    return reinterpret_cast<std::byte*>(atoll_route_find_inline(this, address, size));
  }

  /// Notes that the part is mapped here, and how many bytes of it loads and stores reach: all, or
  /// none. A part that is smaller than a word is not reached.
  void set_mapping(std::uintptr_t owners, std::byte* mapped, std::size_t reached) noexcept {
    const bool is_elsewhere =
        mapped != nullptr && reinterpret_cast<std::uintptr_t>(mapped) != owners;
    local = reinterpret_cast<char*>(mapped);
    distance_base = owners | (is_elsewhere ? ATOLL_ELSEWHERE : 0);
    word_places = reached < 8 ? 0 : reached - 7;
  }

  /// Whether the bytes lie inside the peer's part.
  bool contains(const void* address, std::size_t size) const noexcept {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - remote();
    return size <= bytes && offset <= bytes - size;
  }

  /// The part as its owner addresses it.
  std::uintptr_t remote() const noexcept { return atoll_route_remote(this); }
  std::byte* base() const noexcept { return reinterpret_cast<std::byte*>(remote()); }
};
static_assert(sizeof(route) == sizeof(atoll_route));
static_assert(sizeof(void*) == 8, "addresses of 32 bits may have the bit ATOLL_ELSEWHERE");

}  // namespace atl
