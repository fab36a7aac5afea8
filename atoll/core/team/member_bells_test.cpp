// SPDX-License-Identifier: BSD-3-Clause
//
// Bells at one distance take no list, any others do, and each member's bell is found and rung
// either way.
#include <atoll/core/team/member_bells.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

namespace atl {
namespace {

/// A few bells in a row, and the members at these places of it.
class members_at {
 public:
  explicit members_at(const std::vector<std::size_t>& places) : places_(places) {
    for (const std::size_t place : places) bells.add(row_[place]);
  }

  member_bells bells;

  void expect_found() {
    ASSERT_EQ(bells.count(), places_.size());
    for (rank_id member = 0; member < bells.count(); ++member)
      EXPECT_EQ(&bells[member], &row_[places_[member]]) << "member " << member;
  }

  /// Each member but `self` has a sleeper; the ones that were rung are told by their tickets.
  void expect_rung_but(rank_id self) {
    std::vector<doorbell::ticket> drawn;
    for (const std::size_t place : places_) drawn.push_back(row_[place].prepare());
    bells.ring_others(self);
    for (rank_id member = 0; member < bells.count(); ++member)
      EXPECT_EQ(bells[member].rang_since(drawn[member]), member != self) << "member " << member;
  }

 private:
  std::array<doorbell, 8> row_;
  std::vector<std::size_t> places_;
};

TEST(member_bells, at_one_distance_take_no_list) {
  for (const auto& places : std::vector<std::vector<std::size_t>>{
           {3}, {0, 1}, {0, 1, 2, 3, 4, 5, 6, 7}, {1, 4, 7}, {6, 4, 2, 0}}) {
    members_at members(places);
    EXPECT_EQ(members.bells.list_bytes(), 0u);
    members.expect_found();
    for (rank_id self = 0; self < places.size(); ++self) members.expect_rung_but(self);
  }
}

TEST(member_bells, at_other_distances_are_listed) {
  for (const auto& places :
       std::vector<std::vector<std::size_t>>{{0, 1, 3}, {5, 0, 7, 2}, {0, 1, 2, 3, 7}}) {
    members_at members(places);
    EXPECT_EQ(members.bells.list_bytes(), places.size() * sizeof(doorbell*));
    members.expect_found();
    for (rank_id self = 0; self < places.size(); ++self) members.expect_rung_but(self);
  }
}

}  // namespace
}  // namespace atl
