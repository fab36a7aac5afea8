// SPDX-License-Identifier: BSD-3-Clause
//
// A large block cut into pieces that follow each other through an algorithm, so that its steps
// overlap. A bounded number of them is under way at a time.
#pragma once

#include <atoll/base/rounding.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/engine/table.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace atl::coll {

class data_pieces {
 public:
  /// The data of a call in pieces of whole units of at most about `c.piece_bytes` bytes, but no
  /// more of them than tags of 24 bits tell apart.
  explicit data_pieces(const call& c, std::size_t unit = 1) noexcept
      : total_(c.bytes),
        most_(
            std::max(std::min(c.piece_bytes, total_) / unit, pieces_of((total_ >> 23) + 1, unit)) *
            unit),
        count_(static_cast<std::uint32_t>(pieces_of(total_, most_))),
        window_(std::min(count_, c.depth_or(depth_of_pieces))) {}

  std::uint32_t count() const noexcept { return count_; }
  /// How many may be under way at a time; at least 1 and not more than there are.
  std::uint32_t window() const noexcept { return window_; }
  std::size_t offset(std::uint32_t i) const noexcept { return i * most_; }
  std::size_t bytes(std::uint32_t i) const noexcept { return std::min(most_, total_ - i * most_); }

 private:
  std::size_t total_;
  std::size_t most_;
  std::uint32_t count_;
  std::uint32_t window_;
};

}  // namespace atl::coll
