// SPDX-License-Identifier: BSD-3-Clause
//
// Buffers used in turn. A copy that repeats on one pair of buffers runs in the caches; one that
// moves through an area larger than the last-level cache measures memory. Programs do both, so
// bandwidth is measured both ways.
#pragma once

#include <cstddef>

namespace bench {

/// Offsets of `bytes`-sized places in an area, one after the other and around.
class rotation {
 public:
  /// With `area` less than twice `bytes`, always offset 0. Places begin at multiples of 64 bytes,
  /// the first near `start`: two cases that are compared begin far apart, so that neither finds in
  /// the caches what the other has just touched.
  rotation(std::size_t bytes, std::size_t area, std::size_t start = 0) noexcept
      : step_((bytes + 63) / 64 * 64), end_(area / step_ * step_) {
    offset_ = end_ == 0 ? 0 : start / step_ * step_ % end_;
  }

  /// The offset to use now; moves on.
  std::size_t next() noexcept {
    const std::size_t now = offset_;
    offset_ += step_;
    if (offset_ >= end_) offset_ = 0;
    return now;
  }

 private:
  std::size_t step_;
  std::size_t end_;
  std::size_t offset_ = 0;
};

}  // namespace bench
