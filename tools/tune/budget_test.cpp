// SPDX-License-Identifier: BSD-3-Clause
//
// How many candidates fit into the time for a point.
#include <tools/tune/measure/budget.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <vector>

namespace atl::tune {
namespace {

constexpr std::array<double, 4> round_ns{1e6, 2e6, 3e6, 100e6};

TEST(tune_budget, keeps_the_fastest_candidates_that_fit_into_the_time) {
  EXPECT_EQ(candidates_within(round_ns, 4, 1.0, 1), 4u);
  EXPECT_EQ(candidates_within(round_ns, 4, 0.42, 1), 3u);
  EXPECT_EQ(candidates_within(round_ns, 4, 0.013, 1), 2u);
  EXPECT_EQ(candidates_within(round_ns, 40, 0.13, 1), 2u);
}

TEST(tune_budget, keeps_a_few_however_short_the_time) {
  EXPECT_EQ(candidates_within(round_ns, 4, 0.0, 3), 3u);
  EXPECT_EQ(candidates_within(round_ns, 4, -1.0, 3), 3u);
  EXPECT_EQ(candidates_within(round_ns, 4, 0.0, 8), 4u);
  EXPECT_EQ(candidates_within({}, 4, 1.0, 2), 0u);
}

TEST(tune_budget, each_round_measures_all_candidates_after_other_ones) {
  constexpr std::size_t count = 6;
  std::set<std::size_t> before_the_last;
  for (unsigned round = 0; round < 16; ++round) {
    const std::vector<std::size_t> order = order_of_round(count, round);
    EXPECT_EQ(order, order_of_round(count, round)) << "ranks have it alike";
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), count);
    const auto last = std::ranges::find(order, count - 1);
    if (last != order.begin()) before_the_last.insert(*std::prev(last));
  }
  EXPECT_GE(before_the_last.size(), 3u);
}

}  // namespace
}  // namespace atl::tune
