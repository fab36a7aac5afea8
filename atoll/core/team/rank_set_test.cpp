// SPDX-License-Identifier: BSD-3-Clause
//
// Sets of ranks: the same answers whether a set is kept as a progression or as a list, and
// progressions recognised so that large teams stay small.
#include <atoll/core/team/rank_set.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace atl {
namespace {

void expect_holds(const rank_set& set, const std::vector<rank_id>& ranks) {
  ASSERT_EQ(set.size(), ranks.size());
  for (rank_id member = 0; member < set.size(); ++member) {
    EXPECT_EQ(set[member], ranks[member]);
    EXPECT_EQ(set.find(ranks[member]), member);
  }
  for (rank_id rank = 0; rank < 50; ++rank) {
    if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) {
      EXPECT_EQ(set.find(rank), no_rank) << rank;
    }
  }
}

TEST(rank_set, members_and_ranks_translate_both_ways) {
  const std::vector<std::vector<rank_id>> sets{
      {},        {7},          {0, 1, 2, 3},  {5, 6, 7},        {9, 8, 7, 6},
      {0, 3, 6}, {12, 7, 2},   {3, 1, 4, 10}, {0, 1, 2, 4},     {8, 0},
      {0, 8},    {1, 0, 3, 2}, {49, 0, 25},   {2, 4, 8, 16, 32}};
  for (const auto& ranks : sets) expect_holds(rank_set(ranks), ranks);
}

TEST(rank_set, ranks_may_be_listed_in_braces) {
  expect_holds(rank_set({0, 1}), {0, 1});
  expect_holds(rank_set({0}), {0});
  expect_holds(rank_set({}), {});
  expect_holds(rank_set({5, 1, 0}), {5, 1, 0});
}

TEST(rank_set, contiguous_and_strided_sets_take_no_memory_however_large) {
  std::vector<rank_id> ranks(5000);
  std::iota(ranks.begin(), ranks.end(), rank_id{17});
  EXPECT_EQ(rank_set(ranks).extra_bytes(), 0u);
  for (rank_id& rank : ranks) rank *= 3;
  EXPECT_EQ(rank_set(ranks).extra_bytes(), 0u);
  std::reverse(ranks.begin(), ranks.end());
  EXPECT_EQ(rank_set(ranks).extra_bytes(), 0u);
  std::swap(ranks[4], ranks[5]);
  EXPECT_GT(rank_set(ranks).extra_bytes(), 0u);
}

TEST(rank_set, a_progression_is_made_without_a_list) {
  expect_holds(rank_set::progression(4, 3, 5), {4, 7, 10, 13, 16});
  expect_holds(rank_set::progression(4, -2, 3), {4, 2, 0});
  expect_holds(rank_set::progression(9, 0, 1), {9});
  expect_holds(rank_set::progression(9, 0, 0), {});
}

}  // namespace
}  // namespace atl
