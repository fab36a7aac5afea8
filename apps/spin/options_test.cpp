// SPDX-License-Identifier: BSD-3-Clause
//
// Tests what the command line accepts, how states are divided, and that a refusal names the number
// that was given and the nearest ones that work.
#include <apps/spin/options.hpp>
#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spin {
namespace {

// The exit code of parsing these words, or -1 where the program goes on.
int parsed(std::vector<std::string> words, options& into) {
  words.insert(words.begin(), "spin");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int exit_code = -1;
  const program quiet{.variants = {"direct", "elegant"}, .speaks = false};
  parse(static_cast<int>(argv.size()), argv.data(), quiet, into, exit_code);
  return exit_code;
}

std::string refusal(unsigned sites, atl::rank_id ranks) {
  options chosen;
  chosen.model.sites = sites;
  try {
    divide(chosen, 0, ranks);
  } catch (const atl::error& refused) {
    return refused.what();
  }
  return "";
}

TEST(options, are_read_from_the_command_line) {
  options chosen;
  EXPECT_EQ(parsed({"-n", "12", "-J", "-1.5", "--gamma=0.25", "--boundary", "open", "--seed", "9",
                    "--tolerance", "1e-6", "--iterations", "77", "-q"},
                   chosen),
            -1);
  EXPECT_EQ(chosen.model.sites, 12U);
  EXPECT_EQ(chosen.model.coupling, -1.5);
  EXPECT_EQ(chosen.model.field, 0.25);
  EXPECT_FALSE(chosen.model.periodic);
  EXPECT_EQ(chosen.seed, 9U);
  EXPECT_EQ(chosen.tolerance, 1e-6);
  EXPECT_EQ(chosen.iterations, 77U);
  EXPECT_TRUE(chosen.quiet);
}

TEST(options, out_of_range_are_refused_and_help_is_not_a_mistake) {
  options chosen;
  EXPECT_EQ(parsed({"-n", "3"}, chosen), 2);
  EXPECT_EQ(parsed({"-n", "27"}, chosen), 2);
  EXPECT_EQ(parsed({"--boundary", "moebius"}, chosen), 2);
  EXPECT_EQ(parsed({"--tolerance", "0"}, chosen), 2);
  EXPECT_EQ(parsed({"-J", "much"}, chosen), 2);
  EXPECT_EQ(parsed({"stray"}, chosen), 2);
  EXPECT_EQ(parsed({"--variant", "telepathy"}, chosen), 2);
  EXPECT_EQ(parsed({"--variant", "all"}, chosen), -1);
  EXPECT_EQ(parsed({"--help"}, chosen), 0);
}

TEST(division, covers_every_state_once) {
  for (const atl::rank_id ranks : {1U, 2U, 8U, 64U}) {
    state_id next = 0;
    for (atl::rank_id rank = 0; rank < ranks; ++rank) {
      options chosen;
      chosen.model.sites = 10;
      const division plan = divide(chosen, rank, ranks);
      EXPECT_EQ(plan.states.first, next);
      EXPECT_EQ(plan.exchange.blocks * plan.exchange.block_elements, plan.states.count());
      EXPECT_LE(plan.exchange.buffers, plan.exchange.blocks);
      next += plan.states.count();
    }
    EXPECT_EQ(next, state_id{1} << 10);
  }
}

TEST(division, refuses_counts_that_do_not_divide_and_names_the_nearest) {
  EXPECT_NE(refusal(10, 3).find("spin on 3 ranks"), std::string::npos);
  EXPECT_NE(refusal(10, 3).find("use 2 or 4 ranks"), std::string::npos);
  EXPECT_NE(refusal(10, 12).find("use 8 or 16 ranks"), std::string::npos);
  EXPECT_NE(refusal(4, 5).find("use 4 ranks"), std::string::npos);
  EXPECT_NE(refusal(4, 64).find("use 4 ranks"), std::string::npos);
  EXPECT_EQ(refusal(10, 256), "");
  EXPECT_EQ(refusal(4, 1), "");
}

}  // namespace
}  // namespace spin
