// SPDX-License-Identifier: BSD-3-Clause
//
// A member's place in a k-nomial tree of any radix. Members are numbered from the root on. Written
// in base `radix`, a number's parent is the same with the lowest digit that is not 0 set to 0, and
// its children differ from it in one digit below that. So the subtree of a member is a range of
// numbers that begins with its own, which is what scatter, gather and ordered reductions use.
#pragma once

#include <atoll/base/rank.hpp>

#include <algorithm>
#include <cstdint>

namespace atl::coll {

class knomial {
 public:
  knomial(rank_id rank, rank_id size, rank_id root, unsigned radix) noexcept
      : size_(size),
        root_(root),
        radix_(std::max(radix, 2u)),
        number_((rank + size - root) % size) {
    lowest_weight_ = 1;
    if (number_ == 0) {
      while (lowest_weight_ < size_) lowest_weight_ *= radix_;
    } else {
      while (number_ / lowest_weight_ % radix_ == 0) lowest_weight_ *= radix_;
    }
  }

  bool is_root() const noexcept { return number_ == 0; }
  rank_id number() const noexcept { return number_; }
  rank_id rank_of(std::uint64_t number) const noexcept {
    return static_cast<rank_id>((number + root_) % size_);
  }
  rank_id parent() const noexcept {
    return rank_of(number_ - number_ / lowest_weight_ % radix_ * lowest_weight_);
  }

  /// How many members this subtree has: numbers from number() on.
  rank_id subtree() const noexcept { return span_of(number_, lowest_weight_); }

  struct child {
    std::uint64_t weight = 0;  // of the digit that differs; 0: there is none
    std::uint64_t number = 0;
    rank_id rank = 0;
    rank_id subtree = 0;
    bool exists() const noexcept { return weight != 0; }
  };

  /// The children, largest subtree first: for what goes down.
  child first_child() const noexcept { return find_descending(lowest_weight_ / radix_, 1); }
  child next_child(const child& previous) const noexcept {
    return find_descending(previous.weight, (previous.number - number_) / previous.weight + 1);
  }

  /// The children by their numbers, ascending, smallest subtree first: for what comes up.
  child lowest_child() const noexcept { return find_ascending(1, 1); }
  child above(const child& previous) const noexcept {
    return find_ascending(previous.weight, (previous.number - number_) / previous.weight + 1);
  }

 private:
  child find_descending(std::uint64_t weight, std::uint64_t digit) const noexcept {
    for (; weight != 0; weight /= radix_, digit = 1) {
      if (digit < radix_ && number_ + digit * weight < size_) return make_child(weight, digit);
    }
    return {};
  }
  child find_ascending(std::uint64_t weight, std::uint64_t digit) const noexcept {
    if (digit == radix_) {
      weight *= radix_;
      digit = 1;
    }
    if (weight >= lowest_weight_ || number_ + digit * weight >= size_) return {};
    return make_child(weight, digit);
  }
  child make_child(std::uint64_t weight, std::uint64_t digit) const noexcept {
    const std::uint64_t number = number_ + digit * weight;
    return {weight, number, rank_of(number), span_of(number, weight)};
  }
  rank_id span_of(std::uint64_t number, std::uint64_t reach) const noexcept {
    return static_cast<rank_id>(std::min<std::uint64_t>(reach, size_ - number));
  }

  std::uint64_t size_;
  std::uint64_t root_;
  std::uint64_t radix_;
  std::uint64_t number_;
  std::uint64_t lowest_weight_;  // weight of the lowest digit that is not 0: bounds the subtree
};

}  // namespace atl::coll
