// SPDX-License-Identifier: BSD-3-Clause
//
// Tests how a table is judged at measured points: which rule fits, what counts as the best, and
// what was left out early.
#include <tools/tune/evaluation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace atl::tools {
namespace {

tune_record point_of(std::uint64_t bytes, double built_in, double tree, double chain) {
  const auto times = [](double each) { return std::vector<double>(8, each); };
  return {
      .machine = "an abacus",
      .collective = "broadcast",
      .ranks = 4,
      .hosts = 1,
      .oversubscribed = true,
      .bytes = bytes,
      .built_in = "shared",
      .times_ns = {{"shared", times(built_in)}, {"tree:4", times(tree)}, {"chain", times(chain)}}};
}

/// Those with which an algorithm may differ.
std::map<std::string, std::vector<std::string>> parameters(const std::string& algorithm,
                                                           std::vector<std::string> names) {
  std::map<std::string, std::vector<std::string>> made;
  made[algorithm] = std::move(names);
  return made;
}

coll::tuned_table table_for(std::uint64_t from, std::uint64_t to) {
  coll::tuned_rule rule{.collective = "broadcast", .algorithm = "tree", .radix = 4};
  rule.ranks = {4, 4};
  rule.bytes = {from, to};
  rule.oversubscribed = true;
  return {.machine = "an abacus", .rules = {rule}};
}

TEST(tune_evaluation, takes_the_first_rule_that_fits) {
  coll::tuned_table table = table_for(64, 128);
  EXPECT_EQ(rule_choice(table, point_of(64, 1, 1, 1)), "tree:4");
  EXPECT_EQ(rule_choice(table, point_of(129, 1, 1, 1)), "");
  tune_record on_own_cores = point_of(64, 1, 1, 1);
  on_own_cores.oversubscribed = false;
  EXPECT_EQ(rule_choice(table, on_own_cores), "");
  tune_record over_hosts = point_of(64, 1, 1, 1);
  over_hosts.hosts = 2;
  EXPECT_EQ(rule_choice(table, over_hosts), "");
  table.rules.front().element_bytes = 4;
  EXPECT_EQ(rule_choice(table, point_of(64, 1, 1, 1)), "");
}

TEST(tune_evaluation, counts_points_near_the_best_and_where_the_table_loses) {
  const std::vector<tune_record> records{
      point_of(64, 100, 50, 90),    // the table's choice is the best
      point_of(128, 100, 120, 90),  // it loses, to the built-in choice also
      point_of(256, 104, 10, 100),  // no rule: the built-in choice is far from the best
      point_of(512, 104, 130, 100)};
  const std::vector<evaluated_point> points = evaluate(table_for(64, 128), records);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].best, "tree:4");
  EXPECT_EQ(points[1].best, "chain");
  EXPECT_EQ(points[2].chosen, "shared");
  const evaluation found = summary_of(points);
  EXPECT_EQ(found.points, 4u);
  EXPECT_EQ(found.table_within_5, 2u);
  EXPECT_EQ(found.built_in_within_5, 1u);
  EXPECT_EQ(found.differs, 2u);
  EXPECT_DOUBLE_EQ(found.worst_ratio, 1.2);
  EXPECT_NE(found.worst.find("broadcast of 128 B at 4 ranks"), std::string::npos) << found.worst;
}

// The best of many is partly lucky, so it is judged by rounds that did not choose it.
TEST(tune_evaluation, judges_the_best_by_rounds_that_did_not_choose_it) {
  tune_record lucky = point_of(64, 100, 100, 100);
  for (std::size_t i = 0; i < 8; i += 2) lucky.times_ns["chain"][i] = 50;
  const std::vector<evaluated_point> points = evaluate(table_for(1, 2), {lucky});
  EXPECT_EQ(points.front().best, "chain");
  EXPECT_DOUBLE_EQ(points.front().best_ns, 100);
}

// Noise that is equal in both directions is no loss, a steady one is.
TEST(tune_evaluation, counts_points_that_are_slower_beyond_the_error) {
  const auto passes_with = [](double first, double second) {
    tune_record later = point_of(64, 100, second, 100);
    later.pass = 1;
    return std::vector<tune_record>{point_of(64, 100, first, 100), later};
  };
  const auto slower = [&](double first, double second) {
    return summary_of(evaluate(table_for(64, 128), passes_with(first, second))).surely_slower;
  };
  EXPECT_EQ(slower(104, 105), 1u);
  EXPECT_EQ(slower(101, 101), 0u) << "less than 2 %";
  EXPECT_EQ(slower(115, 95), 0u);
  EXPECT_EQ(slower(95, 96), 0u);
}

TEST(tune_evaluation, takes_the_mean_of_passes) {
  tune_record later = point_of(64, 100, 200, 90);
  later.pass = 1;
  const std::vector<evaluated_point> points =
      evaluate(table_for(64, 128), {point_of(64, 100, 50, 90), later});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_NEAR(points.front().chosen_ns, 100, 1e-6);
  EXPECT_EQ(points.front().best, "chain");
}

TEST(tune_evaluation, knows_nothing_of_what_was_left_out_early) {
  tune_record left_out = point_of(64, 100, 50, 90);
  left_out.times_ns["tree:4"].resize(2);
  left_out.times_ns["shared"].resize(16, 100);  // the last rounds are those of two alone
  const std::vector<evaluated_point> points = evaluate(table_for(64, 128), {left_out});
  EXPECT_EQ(points.front().best, "chain");
  EXPECT_EQ(points.front().chosen_ns, 0);
  EXPECT_EQ(summary_of(points).unmeasured, 1u);
  EXPECT_EQ(summary_of(points).table_within_10, 0u);
}

TEST(tune_evaluation, leaves_out_other_machines) {
  tune_record other = point_of(64, 100, 50, 90);
  other.machine = "a slide rule";
  EXPECT_TRUE(evaluate(table_for(64, 128), {other}).empty());
}

TEST(tune_evaluation, tells_the_page_which_wire_a_point_is_of) {
  tune_record slow = point_of(64, 100, 50, 90), fast = point_of(64, 100, 50, 90);
  slow.network = fast.network = "tcp";
  slow.hosts = fast.hosts = 2;
  slow.network_ns = 1'200'000;
  fast.network_ns = 25'000;
  const coll::tuned_table table = table_for(1, 2);
  const std::string page = text_of(evaluate(table, {slow, fast}), table, "a.json");
  EXPECT_NE(page.find("\"network_ns\":25000,"), std::string::npos) << page;
  EXPECT_NE(page.find("\"network_ns\":1200000,"), std::string::npos) << page;
}

TEST(tune_evaluation, takes_a_piece_that_cuts_nothing_for_none) {
  coll::tuned_table table = table_for(64, 128);
  table.rules.front().piece_bytes = 32768;
  EXPECT_DOUBLE_EQ(evaluate(table, {point_of(64, 100, 50, 90)}).front().chosen_ns, 50);
}

// The record names the parameters that make a difference at its point.
TEST(tune_evaluation, takes_a_parameter_that_makes_no_difference_for_none) {
  coll::tuned_table table = table_for(64, 128);
  table.rules.front().eager_bytes = 1024;  // "tree:4/eager=1024"
  tune_record point = point_of(64, 100, 50, 90);
  EXPECT_EQ(evaluate(table, {point}).front().chosen_ns, 0) << "an older record does not tell";
  point.effective = parameters("tree:4", {});
  EXPECT_DOUBLE_EQ(evaluate(table, {point}).front().chosen_ns, 50);
  point.effective = parameters("tree:4", {"eager"});
  EXPECT_EQ(evaluate(table, {point}).front().chosen_ns, 0) << "left out";
  point.effective = parameters("tree:2", {});
  EXPECT_EQ(evaluate(table, {point}).front().chosen_ns, 0) << "of another radix";
}

// Another value of a parameter that makes a difference was not measured, and of several parameters
// those that make one are looked up.
TEST(tune_evaluation, takes_no_time_of_other_values) {
  const auto time_of = [](const coll::tuned_rule& chosen, const tune_record& point) {
    coll::tuned_table table = table_for(1, std::uint64_t{1} << 40);
    const coll::tuned_range ranks = table.rules.front().ranks;
    table.rules = {chosen};
    table.rules.front().ranks = ranks;
    return evaluate(table, {point}).front().chosen_ns;
  };
  const std::vector<double> fast(8, 10), slow(8, 40);
  tune_record point = point_of(std::uint64_t{1} << 20, 100, 50, 90);
  point.effective = parameters("chain", {"piece", "depth"});
  point.effective->emplace("hierarchical", std::vector<std::string>{"leaders"});
  point.times_ns["chain/depth=2"] = fast;
  point.times_ns["hierarchical"] = slow;
  point.times_ns["hierarchical/leaders=2"] = fast;
  coll::tuned_rule rule{.collective = "broadcast", .algorithm = "chain", .depth = 2};
  EXPECT_DOUBLE_EQ(time_of(rule, point), 10);
  rule.depth = 8;
  EXPECT_EQ(time_of(rule, point), 0) << "another depth";
  rule.depth = 0;
  rule.piece_bytes = 32768;
  EXPECT_EQ(time_of(rule, point), 0) << "pieces that no candidate had";
  rule = {
      .collective = "broadcast", .algorithm = "hierarchical", .eager_bytes = 1024, .leaders = 2};
  EXPECT_DOUBLE_EQ(time_of(rule, point), 10) << "only the leaders count";
  rule.leaders = 4;
  EXPECT_EQ(time_of(rule, point), 0) << "another number of leaders";
}

// The same algorithm with other pieces does not stand for one that was left out or not measured.
TEST(tune_evaluation, takes_no_time_of_other_pieces) {
  coll::tuned_table table = table_for(32768, 262144);
  table.rules.front().algorithm = "chain";
  table.rules.front().radix = 0;
  table.rules.front().piece_bytes = 32768;
  const std::vector<evaluated_point> points =
      evaluate(table, {point_of(262144, 100, 90, 50), point_of(32768, 100, 90, 50)});
  ASSERT_EQ(points.size(), 2u);
  EXPECT_DOUBLE_EQ(points[0].chosen_ns, 50) << "one piece";
  EXPECT_EQ(points[1].chosen, "chain/32768");
  EXPECT_EQ(points[1].chosen_ns, 0);
  EXPECT_EQ(summary_of(points).unmeasured, 1u);
  tune_record cut = point_of(262144, 100, 90, 50), whole = point_of(32768, 100, 90, 50);
  cut.effective = parameters("chain", {"piece", "depth"});
  whole.effective = parameters("chain", {"eager"});
  EXPECT_EQ(evaluate(table, {cut}).front().chosen_ns, 0);
  EXPECT_DOUBLE_EQ(evaluate(table, {whole}).front().chosen_ns, 50);
}

}  // namespace
}  // namespace atl::tools
