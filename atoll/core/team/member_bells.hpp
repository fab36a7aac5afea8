// SPDX-License-Identifier: BSD-3-Clause
//
// The doorbells of the members of a team on one host, in the order of the members. Bells lie in the
// areas of the ranks, at one distance from each other, so those of a team whose ranks are evenly
// spaced are a first one and a distance. Any other team has a list of them. A rank is in a few
// teams of all ranks from the start, and a list for each would be most of what it keeps of peers.
//
// Threads: constant after the last add().
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/threads/doorbell.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl {

class member_bells {
 public:
  /// Appends the bell of the next member; it outlives this list.
  void add(doorbell& next) {
    const auto place = reinterpret_cast<std::uintptr_t>(&next);
    if (count_ == 0) first_ = place;
    if (count_ == 1) distance_ = place - first_;
    if (list_.empty() && place != even_place(count_)) make_list();
    if (!list_.empty()) list_.push_back(&next);
    ++count_;
  }

  rank_id count() const noexcept { return count_; }
  doorbell& operator[](rank_id member) const noexcept {
    return list_.empty() ? *reinterpret_cast<doorbell*>(even_place(member)) : *list_[member];
  }

  /// Rings all but the bell of `self`, a member.
  void ring_others(rank_id self) const noexcept {
    for (rank_id member = 0; member < self; ++member) (*this)[member].ring();
    for (rank_id member = self + 1; member < count_; ++member) (*this)[member].ring();
  }

  /// Memory that grows with the number of members, in bytes.
  std::size_t list_bytes() const noexcept { return list_.size() * sizeof(doorbell*); }

 private:
  // Distances wrap: members may be in descending order.
  std::uintptr_t even_place(rank_id member) const noexcept { return first_ + member * distance_; }
  void make_list() {
    for (rank_id member = 0; member < count_; ++member)
      list_.push_back(reinterpret_cast<doorbell*>(even_place(member)));
  }

  rank_id count_ = 0;
  std::uintptr_t first_ = 0;
  std::uintptr_t distance_ = 0;
  std::vector<doorbell*> list_;  // empty while the bells are evenly spaced
};

}  // namespace atl
