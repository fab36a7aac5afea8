// SPDX-License-Identifier: BSD-3-Clause
//
// Tests how two algorithms are compared: by rounds, without those that something disturbed, and
// with an error that shows how far the halves of passes agree.
#include <tools/tune/comparison.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace atl::tools {
namespace {

using list = std::vector<double>;

TEST(tune_comparison, is_of_rounds) {
  const list base{100, 100, 100, 100, 300, 300, 300, 300};
  EXPECT_NEAR(log_ratio(list{50, 50, 50, 50, 150, 150, 150, 150}, base), std::log(0.5), 1e-12);
}

TEST(tune_comparison, leaves_out_disturbed_rounds) {
  const list base{100, 100, 100, 900};
  EXPECT_NEAR(log_ratio(list{80, 800, 80, 80}, base), std::log(0.8), 1e-12);
}

TEST(tune_comparison, counts_every_second_round) {
  EXPECT_NEAR(log_ratio(list{50, 1, 50, 1}, list{100, 100, 100, 100}, 2), std::log(0.5), 1e-12);
}

tune_record pass_with(const list& tree) {
  return {.rounds = tree.size(),
          .built_in = "shared",
          .times_ns = {{"shared", list(tree.size(), 100)}, {"tree:4", tree}}};
}

TEST(tune_comparison, has_an_error_where_halves_differ) {
  const auto steady = compare({pass_with(list(8, 50)), pass_with(list(8, 50))}, "tree:4");
  ASSERT_TRUE(steady.has_value());
  EXPECT_NEAR(steady->log_mean, std::log(0.5), 1e-12);
  EXPECT_NEAR(steady->error, 0, 1e-12);
  const auto changing = compare({pass_with({50, 50, 50, 50, 200, 200, 200, 200})}, "tree:4");
  ASSERT_TRUE(changing.has_value());
  EXPECT_NEAR(changing->log_mean, 0, 1e-12);
  EXPECT_NEAR(changing->error, std::log(2), 1e-12) << "of two samples";
}

TEST(tune_comparison, has_the_error_of_passes_where_their_halves_agree) {
  const auto found = compare({pass_with(list(8, 50)), pass_with(list(8, 200))}, "tree:4");
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->log_mean, 0, 1e-12);
  EXPECT_NEAR(found->error, std::log(2), 1e-12) << "four halves would say less";
}

TEST(tune_comparison, needs_all_passes_and_four_rounds) {
  tune_record left_out = pass_with(list(8, 50));
  left_out.times_ns["tree:4"].resize(2);
  EXPECT_FALSE(compare({pass_with(list(8, 50)), left_out}, "tree:4").has_value());
  EXPECT_FALSE(compare({pass_with(list(8, 50))}, "chain").has_value());
  EXPECT_FALSE(compare({pass_with(list(3, 50))}, "tree:4").has_value());
}

}  // namespace
}  // namespace atl::tools
