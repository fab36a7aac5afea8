// SPDX-License-Identifier: BSD-3-Clause
//
// An ordered set of ranks: members 0, 1, 2, ... of a team. Most sets of a program are the whole
// job, a contiguous part of it, or every n-th rank; these are an arithmetic progression and cost
// a few words however many members they have. Any other set is a list, with a second one sorted
// by rank so that finding a member takes logarithmic time.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/slice.hpp>

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace atl {

class rank_set {
 public:
  rank_set() = default;  // empty

  /// first, first + stride, ... : `count` ranks. The stride may be negative, and is not 0 unless
  /// count is at most 1.
  static rank_set progression(rank_id first, std::int64_t stride, rank_id count) noexcept;

  /// These ranks, each once; a progression where they are one.
  explicit rank_set(slice<const rank_id> ranks);
  explicit rank_set(std::initializer_list<rank_id> ranks)
      : rank_set(slice<const rank_id>(ranks.begin(), ranks.size())) {}

  rank_id size() const noexcept { return count_; }
  bool is_progression() const noexcept { return list_.empty(); }
  /// First rank and distance; meaningful for a progression.
  rank_id first() const noexcept { return first_; }
  std::int64_t stride() const noexcept { return stride_; }

  rank_id operator[](rank_id member) const noexcept {
    if (!list_.empty()) return list_[member];
    return static_cast<rank_id>(first_ + stride_ * member);
  }

  /// The member that is this rank; no_rank when none is.
  rank_id find(rank_id rank) const noexcept;

  /// Whether both have the same members in the same order.
  friend bool operator==(const rank_set& left, const rank_set& right) noexcept {
    if (left.count_ != right.count_ || left.list_ != right.list_) return false;
    if (!left.list_.empty() || left.count_ == 0) return true;
    return left.first_ == right.first_ && (left.count_ == 1 || left.stride_ == right.stride_);
  }

  /// The ranks in order, for a set that is no progression.
  const rank_id* list() const noexcept { return list_.data(); }

  /// Bytes held beside the object itself.
  std::size_t extra_bytes() const noexcept {
    return (list_.capacity() + by_rank_.capacity()) * sizeof(rank_id);
  }

 private:
  rank_id first_ = 0;
  rank_id count_ = 0;
  std::int64_t stride_ = 1;
  std::vector<rank_id> list_;     // empty for a progression
  std::vector<rank_id> by_rank_;  // members, sorted by their rank
};

}  // namespace atl
