// SPDX-License-Identifier: BSD-3-Clause
//
// A range cut into one block per member, of equal size but for the last ones, which may be shorter
// or empty: how algorithms divide one member's data among all.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/rounding.hpp>

#include <algorithm>
#include <cstddef>

namespace atl::coll {

class blocks {
 public:
  /// `total` bytes for `members`; blocks begin at multiples of `unit` (the size of an element).
  blocks(std::size_t total, rank_id members, std::size_t unit) noexcept : total_(total) {
    const std::size_t units = total / unit;
    each_ = pieces_of(units, members) * unit;
  }

  std::size_t offset(std::size_t i) const noexcept { return std::min(i * each_, total_); }
  std::size_t bytes(std::size_t i) const noexcept { return offset(i + 1) - offset(i); }
  /// Bytes of `count` blocks from i on.
  std::size_t bytes(std::size_t i, std::size_t count) const noexcept {
    return offset(i + count) - offset(i);
  }

 private:
  std::size_t total_;
  std::size_t each_;
};

}  // namespace atl::coll
