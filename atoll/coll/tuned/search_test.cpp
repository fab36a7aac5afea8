// SPDX-License-Identifier: BSD-3-Clause
//
// The search for the fastest of several candidates, with times that are made up: it finds the best
// within its limit of calls, keeps the choice of the rules where nothing is clearly better, agrees
// rarely, and looks again when members begin to arrive apart.
#include <atoll/coll/tuned/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace atl::coll {
namespace {

/// The members of a team with the times of their calls.
struct members {
  std::vector<algorithm_search> searches;
  std::function<double(std::size_t member, std::size_t candidate, std::size_t call)> call_ns;
  std::function<double(std::size_t member)> gap_ns = [](std::size_t) { return 1000.0; };
  std::size_t calls = 0;
  std::size_t agreements = 0;
  std::size_t calls_till_sums = 3;  // the messages of an agreement are under way for so many calls
  std::size_t sums_at = 0;

  void agree() {
    ++agreements;
    std::vector<std::span<trial_times>> times;
    for (algorithm_search& each : searches) times.push_back(each.begin_agreement());
    std::vector<trial_times> sums(times.front().begin(), times.front().end());
    for (std::size_t member = 1; member < times.size(); ++member) {
      ASSERT_EQ(times[member].size(), sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i].combine(times[member][i]);
    }
    for (const auto& place : times) std::ranges::copy(sums, place.begin());
    sums_at = calls + calls_till_sums;
  }

  void one_call() {
    if (sums_at != 0 && calls >= sums_at) {
      for (algorithm_search& each : searches) each.agreed();
      sums_at = 0;
    }
    ASSERT_FALSE(searches.front().waits());
    if (searches.front().wants_agreement()) agree();
    std::vector<std::size_t> chosen;
    for (algorithm_search& each : searches) chosen.push_back(each.next());
    for (std::size_t member = 0; member < searches.size(); ++member) {
      ASSERT_EQ(chosen[member], chosen.front()) << "member " << member << ", call " << calls;
      searches[member].add(call_ns(member, chosen[member], calls), gap_ns(member));
    }
    ++calls;
  }

  void until_settled() {
    while (!searches.front().settled() && calls < 1000) one_call();
  }
};

members team_of(std::size_t size, std::size_t candidates) {
  return {.searches = std::vector(size, algorithm_search(candidates)), .call_ns = {}};
}

TEST(algorithm_search, finds_the_best_within_its_limit_of_calls) {
  for (std::size_t candidates = 2; candidates <= algorithm_search::candidates_max; ++candidates) {
    members team = team_of(3, candidates);
    const std::size_t wanted = candidates * 2 / 3;
    team.call_ns = [&](std::size_t member, std::size_t candidate, std::size_t call) {
      const double disturbed = call % 97 == 5 ? 20000 : 0;  // now and then a core is away
      return 1000.0 * (candidate == wanted ? 1 : 2) + 10.0 * static_cast<double>(member) +
             disturbed;
    };
    team.until_settled();
    EXPECT_EQ(team.searches.front().best(), wanted) << candidates << " candidates";
    EXPECT_LE(team.calls, algorithm_search::calls_max) << candidates << " candidates";
    EXPECT_EQ(team.agreements, 2u);
    EXPECT_NEAR(team.searches.front().gain(), 0.5, 0.1);
  }
}

TEST(algorithm_search, keeps_the_choice_of_the_rules_where_nothing_is_clearly_better) {
  members team = team_of(2, 5);
  team.call_ns = [](std::size_t, std::size_t candidate, std::size_t) {
    return 1000.0 - 10.0 * static_cast<double>(candidate);  // the best is 4 % better
  };
  team.until_settled();
  EXPECT_EQ(team.searches.front().best(), 0u);
}

TEST(algorithm_search, believes_no_candidate_that_wins_in_one_half_only) {
  members team = team_of(2, 2);
  team.call_ns = [](std::size_t, std::size_t candidate, std::size_t call) {
    if (candidate == 0) return 1000.0;
    return call < 62 ? 200.0 : 1100.0;  // the end of the final shows what it is worth
  };
  team.until_settled();
  EXPECT_EQ(team.searches.front().best(), 0u);
}

// The owner does not always know a time, as of a call that was postponed.
TEST(algorithm_search, takes_no_missing_time_for_a_short_one) {
  algorithm_search alone(2);
  for (std::size_t call = 0; !alone.settled(); ++call) {
    if (alone.wants_agreement()) {
      alone.begin_agreement();
      alone.agreed();
    }
    const std::size_t candidate = alone.next();
    if (candidate == 0 || call % 3 != 1) alone.add(candidate == 0 ? 1000 : 1100, 0);
  }
  EXPECT_EQ(alone.best(), 0u);
}

TEST(algorithm_search, waits_for_times_that_are_late) {
  algorithm_search alone(2);
  while (!alone.wants_agreement()) {
    alone.next();
    alone.add(1000, 0);
  }
  alone.begin_agreement();
  std::size_t calls = 0;
  while (!alone.waits()) {
    EXPECT_EQ(alone.next(), 0u);
    ++calls;
  }
  EXPECT_EQ(calls, 8u);
  alone.agreed();
  EXPECT_FALSE(alone.waits());
}

TEST(algorithm_search, has_nothing_to_do_with_one_candidate) {
  algorithm_search alone(1);
  EXPECT_TRUE(alone.settled());
  EXPECT_FALSE(alone.wants_agreement());
  EXPECT_EQ(alone.next(), 0u);
  EXPECT_EQ(alone.calls_that_need_not_ask(), ~std::uint32_t{0});
}

TEST(algorithm_search, need_not_be_asked_between_reviews) {
  members team = team_of(2, 3);
  team.call_ns = [](std::size_t, std::size_t candidate, std::size_t) {
    return candidate == 2 ? 500.0 : 1000.0;
  };
  team.until_settled();
  for (int review = 0; review < 5; ++review) {
    const std::uint32_t calls = team.searches.front().calls_that_need_not_ask();
    EXPECT_GT(calls, 4000u);
    for (algorithm_search& each : team.searches) each.skip(calls);
    for (int i = 0; i < 40; ++i) team.one_call();
    EXPECT_EQ(team.searches.front().best(), 2u);
  }
  EXPECT_EQ(team.agreements, 2u + 5u);
}

// A review takes some microseconds, which must not be felt by a stream of the shortest calls.
TEST(algorithm_search, reviews_seldom_what_stays_as_it_is) {
  members team = team_of(2, 2);
  team.call_ns = [](std::size_t, std::size_t, std::size_t) { return 1000.0; };
  team.until_settled();
  for (std::uint32_t usual = 4096; usual <= 262144; usual *= 2) {
    const std::uint32_t calls = team.searches.front().calls_that_need_not_ask();
    EXPECT_LE(calls, std::min(usual, 65536u));
    EXPECT_GE(calls, std::min(usual, 65536u) - 64);
    for (algorithm_search& each : team.searches) each.skip(calls);
    for (int i = 0; i < 40; ++i) team.one_call();
  }
}

// Candidate 1 is the best when members arrive together, candidate 2 when one is late.
TEST(algorithm_search, looks_again_when_members_begin_to_arrive_apart) {
  members team = team_of(2, 3);
  bool apart = false;
  team.gap_ns = [&](std::size_t member) { return apart && member == 1 ? 50000.0 : 1000.0; };
  team.call_ns = [&](std::size_t, std::size_t candidate, std::size_t) {
    return candidate == (apart ? 2u : 1u) ? 500.0 : 1000.0;
  };
  const auto run = [&](std::size_t calls) {
    for (std::size_t i = 0; i < calls; ++i) team.one_call();
  };
  run(300);
  EXPECT_EQ(team.searches.front().best(), 1u);
  EXPECT_FALSE(team.searches.front().arrives_apart());
  apart = true;
  run(4500);
  EXPECT_EQ(team.searches.front().best(), 2u);
  EXPECT_TRUE(team.searches.front().arrives_apart());
  apart = false;
  run(4500);  // a review, but no third search: it is known what is best
  EXPECT_EQ(team.searches.front().best(), 1u);
}

}  // namespace
}  // namespace atl::coll
