// SPDX-License-Identifier: BSD-3-Clause
//
// Members of any count seen as a power of two of numbered groups, of which one member acts each:
// for algorithms in which a group exchanges with the one whose number differs in one bit. Where the
// count is no power of two, the first members form groups of two. The other member of such a group
// gives its data to the acting one before the exchanges, and gets the result afterwards. Numbers
// ascend with ranks, so groups whose numbers follow each other are a range of ranks.
#pragma once

#include <atoll/base/rank.hpp>

#include <bit>

namespace atl::coll {

class folded {
 public:
  /// The root acts for its group. Of other groups of two the second member acts.
  folded(rank_id rank, rank_id size, rank_id root) noexcept
      : rank_(rank), root_(root), groups_(std::bit_floor(size)), paired_(2 * (size - groups_)) {}

  rank_id groups() const noexcept { return groups_; }
  rank_id number() const noexcept { return number_of(rank_); }
  rank_id number_of(rank_id member) const noexcept {
    return member < paired_ ? member / 2 : member - paired_ / 2;
  }
  bool acts() const noexcept { return actor(number()) == rank_; }
  /// Whether its group has another member, and which.
  bool has_partner() const noexcept { return rank_ < paired_; }
  rank_id partner() const noexcept { return rank_ ^ 1; }

  /// The member that acts for a group.
  rank_id actor(rank_id group) const noexcept {
    if (2 * group >= paired_) return group + paired_ / 2;
    return 2 * group == root_ ? root_ : 2 * group + 1;
  }
  /// The first member of a group; for groups() the number of members.
  rank_id first(rank_id group) const noexcept {
    return 2 * group < paired_ ? 2 * group : group + paired_ / 2;
  }

 private:
  rank_id rank_;
  rank_id root_;
  rank_id groups_;
  rank_id paired_;  // this many members from the first on are in groups of two
};

}  // namespace atl::coll
