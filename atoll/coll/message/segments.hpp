// SPDX-License-Identifier: BSD-3-Clause
//
// A large block cut into pieces that follow each other through an algorithm, so that its steps
// overlap. A few of them are under way at a time.
#pragma once

#include <atoll/base/rounding.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace atl::coll {

class segments {
 public:
  static constexpr std::uint32_t window = 4;  // under way at a time

  /// Segments of whole units of at most about `most` bytes, but no more of them than tags of 24
  /// bits tell apart.
  segments(std::size_t total, std::size_t most, std::size_t unit = 1) noexcept
      : total_(total),
        most_(std::max(std::min(most, total) / unit, pieces_of((total >> 23) + 1, unit)) * unit),
        count_(static_cast<std::uint32_t>(pieces_of(total, most_))) {}

  std::uint32_t count() const noexcept { return count_; }
  std::uint32_t first_window() const noexcept { return std::min(count_, window); }
  std::size_t offset(std::uint32_t i) const noexcept { return i * most_; }
  std::size_t bytes(std::uint32_t i) const noexcept { return std::min(most_, total_ - i * most_); }

 private:
  std::size_t total_;
  std::size_t most_;
  std::uint32_t count_;
};

}  // namespace atl::coll
