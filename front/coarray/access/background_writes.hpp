// SPDX-License-Identifier: BSD-3-Clause
//
// Coindexed writes that loads and stores do not reach. They may go on after their statement, until
// the next image control statement (Fortran 2018, 11.6), so that many are under way at a time.
// Within a segment an image sees its own writes in order. So a read or write of a place that is
// still being written waits first; places are kept as ranges of addresses, as many as `most`.
//
// Threads: one at a time, as the front.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/core/progress/operation_group.hpp>

#include <cstddef>
#include <vector>

namespace atl::coarray {

class background_writes {
 public:
  explicit background_writes(runtime& owner) : group_(owner) { ranges_.reserve(most); }

  /// Waits if any of these bytes of an image, by its own addresses, are still being written.
  void wait_for(rank_id rank, const std::byte* low, std::size_t bytes) noexcept {
    if (!ranges_.empty() && touches(rank, low, low + bytes)) wait();
  }

  /// The record that counts the pieces of a write to these bytes. Waits for earlier writes where
  /// they overlap these bytes, or are too many.
  operation& begin(rank_id rank, const std::byte* low, std::size_t bytes) noexcept;

  bool is_empty() const noexcept { return ranges_.empty(); }

  void wait() noexcept {
    if (is_empty()) [[likely]]
      return;
    group_.wait();
    ranges_.clear();
  }

 private:
  static constexpr std::size_t most = 64;

  struct range {
    rank_id rank;
    const std::byte* low;
    const std::byte* high;
  };

  bool touches(rank_id rank, const std::byte* low, const std::byte* high) const noexcept;

  operation_group group_;
  std::vector<range> ranges_;
};

}  // namespace atl::coarray
