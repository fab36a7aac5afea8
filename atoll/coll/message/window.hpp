// SPDX-License-Identifier: BSD-3-Clause
//
// The groups of transfers of pieces or blocks that follow each other, of which a bounded number is
// under way: group i is used again for number i + depth, once it has been awaited. Up to four of
// them, as is usual, lie in the task's frame; more are taken from the engine's memory.
#pragma once

#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/engine/table.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>

namespace atl::coll {

/// The most memory that a member uses for more than the usual depth of arriving pieces.
constexpr std::size_t window_bytes_max = std::size_t{16} << 20;
/// The number of groups of pieces that may be under way at a member that combines them: `window`,
/// but beyond the usual depth only as many groups of `group_bytes` as that memory holds.
constexpr std::uint32_t window_in_memory(std::uint32_t window, std::size_t group_bytes) noexcept {
  if (group_bytes == 0 || window <= depth_of_pieces) return window;
  const std::size_t fits = window_bytes_max / group_bytes;
  return fits >= window ? window : std::max(static_cast<std::uint32_t>(fits), depth_of_pieces);
}

class transfer_window {
 public:
  /// Makes at least one group, for pieces 0, 1, ... in turn.
  transfer_window(const call& c, std::uint32_t depth) noexcept
      : depth_(depth), more_(c.memory(), depth > few_.size() ? depth * sizeof(transfers) : 0) {
    if (depth <= few_.size()) return;
    list_ = reinterpret_cast<transfers*>(more_.data());
    for (std::uint32_t i = 0; i < depth; ++i) new (list_ + i) transfers;
  }
  transfer_window(const transfer_window&) = delete;
  transfer_window& operator=(const transfer_window&) = delete;

  transfers& operator[](std::uint32_t i) noexcept { return list_[i < depth_ ? i : i % depth_]; }

  transfers* begin() noexcept { return list_; }
  transfers* end() noexcept { return list_ + depth_; }

 private:
  std::array<transfers, 4> few_;
  std::uint32_t depth_;
  scratch more_;
  transfers* list_ = few_.data();
};

}  // namespace atl::coll
