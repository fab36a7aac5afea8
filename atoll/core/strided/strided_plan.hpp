// SPDX-License-Identifier: BSD-3-Clause
//
// How a strided transfer is best walked. The order of its dimensions and the sign of its strides
// are free, since nothing that is written overlaps; so the plan drops dimensions of one, turns
// those that run backwards at the target, sorts them by the target's stride (what is written next
// lies next to what was written last), and merges every dimension that merely continues the one
// below it. A contiguous block, however it was described, ends as one run.
//
// The plan also knows the extent of each side, so that bounds are checked once. No allocation: a
// dimension that is left has a count of 2 or more, and the bytes of the whole fit into 64 bits, so
// there are fewer than 64.
#pragma once

#include <atoll/core/strided/scattered.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace atl {

struct strided_dimension {
  std::size_t count;
  std::ptrdiff_t to_stride;
  std::ptrdiff_t from_stride;
};

class strided_plan {
 public:
  explicit strided_plan(const strided_transfer& transfer) noexcept;

  /// Whether a size or an address exceeds the address space; then all other values are
  /// meaningless.
  bool overflows() const noexcept { return overflows_; }

  /// All bytes to move; 0: nothing, and the addresses mean nothing.
  std::size_t total_bytes() const noexcept { return total_bytes_; }

  /// The contiguous bytes of each innermost run.
  std::size_t run_bytes() const noexcept { return run_bytes_; }

  /// Innermost first.
  std::span<const strided_dimension> dimensions() const noexcept {
    return {dimensions_.data(), count_};
  }

  /// Where the first run is on each side, as the owner of that side addresses it.
  std::uintptr_t to() const noexcept { return to_; }
  std::uintptr_t from() const noexcept { return from_; }

  /// The range that is touched on each side.
  address_extent to_range() const noexcept { return to_range_; }
  address_extent from_range() const noexcept { return from_range_; }

 private:
  void add(strided_dimension dimension) noexcept;
  void merge() noexcept;
  void measure() noexcept;

  std::uintptr_t to_;
  std::uintptr_t from_;
  std::size_t total_bytes_;
  std::size_t run_bytes_;
  std::size_t count_ = 0;
  bool overflows_ = false;
  address_extent to_range_;
  address_extent from_range_;
  std::array<strided_dimension, 64> dimensions_;  // count_ of them are set
};

}  // namespace atl
