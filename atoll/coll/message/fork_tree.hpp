// SPDX-License-Identifier: BSD-3-Clause
//
// A member's place in a fork tree. Members are numbered from the root on and stand in rows of
// `width`. A chain runs along the first of all rows, and each of them begins a chain along its row.
// So a member sends to two others at most, as in a chain of large data, but the way to the last one
// is only as long as a row and a column. The subtree of a member is a range of numbers that begins
// with its own, as in `knomial`, whose interface this class has.
#pragma once

#include <atoll/base/rank.hpp>

#include <algorithm>
#include <cstdint>

namespace atl::coll {

class fork_tree {
 public:
  fork_tree(rank_id rank, rank_id size, rank_id root, unsigned width) noexcept
      : size_(size),
        root_(root),
        width_(std::max(width, 2u)),
        number_((rank + size - root) % size),
        is_first_(number_ % width_ == 0) {}

  bool is_root() const noexcept { return number_ == 0; }
  rank_id parent() const noexcept { return rank_of(number_ - (is_first_ ? width_ : 1)); }

  struct child {
    std::uint64_t number = 0;  // 0: there is none
    rank_id rank = 0;
    bool exists() const noexcept { return number != 0; }
  };

  /// The next row's first member, which has the larger subtree, then the next one in this row: for
  /// what goes down.
  child first_child() const noexcept {
    const child below = next_row();
    return below.exists() ? below : next_in_row();
  }
  child next_child(const child& previous) const noexcept {
    return is_row(previous) ? next_in_row() : child{};
  }

  /// The children by their numbers, ascending: for what comes up.
  child lowest_child() const noexcept {
    const child next = next_in_row();
    return next.exists() ? next : next_row();
  }
  child above(const child& previous) const noexcept {
    return is_row(previous) ? child{} : next_row();
  }

 private:
  rank_id rank_of(std::uint64_t number) const noexcept {
    return static_cast<rank_id>((number + root_) % size_);
  }
  child made(std::uint64_t number) const noexcept {
    return number < size_ ? child{number, rank_of(number)} : child{};
  }
  child next_row() const noexcept { return is_first_ ? made(number_ + width_) : child{}; }
  child next_in_row() const noexcept {
    return (number_ + 1) % width_ != 0 ? made(number_ + 1) : child{};
  }
  bool is_row(const child& each) const noexcept { return each.number == number_ + width_; }

  std::uint64_t size_;
  std::uint64_t root_;
  std::uint64_t width_;
  std::uint64_t number_;
  bool is_first_;  // of its row
};

}  // namespace atl::coll
