// SPDX-License-Identifier: BSD-3-Clause
//
// The ranges of writes that are under way. A write that continues the one before it extends that
// range, so that a loop over elements does not fill the list.
#include <front/coarray/access/background_writes.hpp>

#include <algorithm>

namespace atl::coarray {

bool background_writes::touches(rank_id rank, const std::byte* low,
                                const std::byte* high) const noexcept {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const range& each) {
    return each.rank == rank && low < each.high && each.low < high;
  });
}

operation& background_writes::begin(rank_id rank, const std::byte* low,
                                    std::size_t bytes) noexcept {
  wait_for(rank, low, bytes);
  if (!ranges_.empty() && ranges_.back().rank == rank && ranges_.back().high == low) {
    ranges_.back().high = low + bytes;
    return group_.current();
  }
  if (ranges_.size() == most) wait();
  ranges_.push_back({rank, low, low + bytes});
  return group_.current();
}

}  // namespace atl::coarray
