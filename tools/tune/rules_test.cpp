// SPDX-License-Identifier: BSD-3-Clause
//
// Tests how rules are made from records: a clearly faster algorithm gets one, chance gets none,
// adjacent sizes share one, and how far each reaches.
#include <tools/tune/rules.hpp>

#include <gtest/gtest.h>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <tools/tune/evaluation.hpp>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace atl::tools {
namespace {

const std::vector<double> usual{100, 104, 99, 130, 101, 102, 98, 100};

std::vector<double> times(double factor) {
  std::vector<double> list = usual;
  for (double& each : list) each *= factor;
  return list;
}

tune_record point(std::uint64_t ranks, std::uint64_t bytes, double tree_factor) {
  return {.machine = coll::machine_text(),
          .collective = "reduce",
          .ranks = ranks,
          .hosts = 1,
          .oversubscribed = ranks > 2,
          .bytes = bytes,
          .built_in = "shared",
          .times_ns = {{"shared", usual}, {"tree:4", times(tree_factor)}}};
}

TEST(tune_rules, judge_takes_what_is_faster_in_both_halves) {
  EXPECT_EQ(verdict_of({point(2, 8, 0.8)}).algorithm, "tree:4");
  EXPECT_NEAR(verdict_of({point(2, 8, 0.8)}).ratio, 0.8, 1e-9);
  EXPECT_EQ(verdict_of({point(2, 8, 0.97)}).algorithm, "shared") << "within noise";
  tune_record lucky = point(2, 8, 1);
  for (std::size_t i = 0; i < usual.size(); i += 2) lucky.times_ns["tree:4"][i] *= 0.5;
  EXPECT_EQ(verdict_of({lucky}).algorithm, "shared") << "only the even rounds";
  tune_record left_out = point(2, 8, 0.5);
  left_out.times_ns["tree:4"].resize(2);
  EXPECT_EQ(verdict_of({left_out}).algorithm, "shared");
}

TEST(tune_rules, come_from_records_of_this_version) {
  tune_record other = point(2, 8, 0.5);
  other.version.clear();
  EXPECT_EQ(rules_of({other}).points, 0u);
  EXPECT_EQ(rules_of({other, point(2, 8, 0.8)}).points, 1u);
}

std::string refusal_of_records(const std::string& content) {
  const std::string path = testing::TempDir() + text("atoll_records_", ::getpid());
  std::ofstream(path) << content;
  std::string cause = "not refused";
  try {
    check_records(path);
  } catch (const error& refused) {
    EXPECT_EQ(refused.object(), path);
    cause = refused.cause();
  }
  std::filesystem::remove(path);
  return cause;
}

TEST(tune_records, are_kept_in_their_own_files_only) {
  EXPECT_EQ(refusal_of_records(""), "not refused");
  EXPECT_EQ(refusal_of_records("{\"mac"), "not refused") << "the first record was cut off";
  EXPECT_EQ(refusal_of_records("{\"machine\": 1}\nnoise\n"), "not refused");
  EXPECT_EQ(refusal_of_records("My thesis\n"), "it has no records of atoll tune");
  EXPECT_THROW(check_records("/dev/full"), error);
  EXPECT_THROW(check_records("/dev/zero"), error);
  EXPECT_THROW(check_records("/"), error);
  EXPECT_NO_THROW(check_records("/nowhere/records")) << "it may be made";
}

std::string cause_of_refusal(const std::string& path) {
  try {
    check_records(path);
  } catch (const error& refused) {
    return refused.cause();
  }
  return "not refused";
}

// `atoll tune check` reads records that the user may not write. Nobody, not even root, may write to
// the program that runs.
TEST(tune_records, can_be_looked_at_where_nobody_may_write) {
  EXPECT_EQ(cause_of_refusal("/proc/self/exe"), "it has no records of atoll tune");
}

TEST(tune_records, that_cannot_be_reached_are_refused) {
  const std::string path = testing::TempDir() + text("atoll_loop_", ::getpid());
  std::filesystem::create_symlink(path, path);
  EXPECT_EQ(cause_of_refusal(path), "it cannot be read (" + errno_text(ELOOP) + ")");
  std::filesystem::remove(path);
}

tune_record pass_of(std::uint64_t pass, double tree_factor) {
  tune_record each = point(2, 8, tree_factor);
  each.pass = pass;
  each.rounds = usual.size();
  return each;
}

TEST(tune_rules, judge_takes_what_is_faster_in_the_mean_of_passes) {
  EXPECT_EQ(verdict_of({pass_of(0, 0.8), pass_of(1, 0.9)}).algorithm, "tree:4");
  EXPECT_NEAR(verdict_of({pass_of(0, 0.8), pass_of(1, 0.9)}).ratio, std::sqrt(0.8 * 0.9), 1e-9);
  EXPECT_EQ(verdict_of({pass_of(0, 0.5), pass_of(1, 1)}).algorithm, "shared") << "at one time only";
  EXPECT_EQ(verdict_of({pass_of(0, 0.97), pass_of(1, 0.96)}).algorithm, "tree:4") << "but steadily";
  EXPECT_EQ(verdict_of({pass_of(0, 0.99), pass_of(1, 0.98)}).algorithm, "shared") << "within noise";
  EXPECT_EQ(verdict_of({pass_of(0, 0.85), pass_of(1, 1.05)}).algorithm, "shared") << "within error";
  tune_record left_out = pass_of(1, 0.5);
  left_out.times_ns["tree:4"].resize(2);
  EXPECT_EQ(verdict_of({pass_of(0, 0.5), left_out}).algorithm, "shared");
  tune_record confirmed = pass_of(1, 0.5);  // more rounds of the two alone change nothing
  for (auto& [name, list] : confirmed.times_ns) list.insert(list.end(), 8, 1000);
  EXPECT_EQ(verdict_of({pass_of(0, 0.5), confirmed}).algorithm, "tree:4");
}

// The cores slow down in the middle of the first pass, and this changes no ratio.
TEST(tune_rules, judge_compares_rounds_and_not_times_of_day) {
  tune_record slowed = pass_of(0, 0.9);
  for (auto& [name, list] : slowed.times_ns) {
    for (std::size_t i = name == "shared" ? 4 : 3; i < list.size(); ++i) list[i] *= 3;
  }
  EXPECT_EQ(verdict_of({slowed, pass_of(1, 0.9)}).algorithm, "tree:4");
  EXPECT_NEAR(verdict_of({slowed, pass_of(1, 0.9)}).ratio, 0.9, 1e-9);
}

TEST(tune_rules, go_on_with_the_algorithm_of_the_size_before_where_none_is_clearly_faster) {
  const auto with_chain = [](std::uint64_t bytes, double tree, double chain, std::uint64_t pass) {
    tune_record each = point(4, bytes, tree);
    each.times_ns["chain"] = times(chain);
    each.pass = pass;
    each.rounds = usual.size();
    return each;
  };
  const auto rules = [&](double chain) {
    return rules_of({with_chain(64, 0.8, 0.9, 0), with_chain(64, 0.8, 0.9, 1),
                     with_chain(256, 0.8, chain, 0), with_chain(256, 0.8, chain, 1)})
        .table.rules.size();
  };
  EXPECT_EQ(rules(0.79), 1u);
  EXPECT_EQ(rules(0.75), 2u);
}

using sizes = std::vector<std::uint64_t>;

sizes sizes_between(const std::vector<tune_record>& records) {
  sizes found;
  for (const tune_record& each : points_between(records)) {
    EXPECT_TRUE(each.times_ns.empty());
    found.push_back(each.bytes);
  }
  return found;
}

TEST(tune_rules, ask_for_sizes_between_those_whose_choices_differ) {
  EXPECT_EQ(sizes_between({point(4, 64, 0.5), point(4, 256, 0.5), point(4, 4096, 1.5)}),
            sizes{1024});
  EXPECT_EQ(sizes_between({point(4, 64, 0.5), point(4, 256, 0.5)}), sizes{});
  EXPECT_EQ(sizes_between({point(4, 64, 0.5), point(2, 256, 1.5)}), sizes{}) << "other ranks";
  EXPECT_EQ(sizes_between({point(4, 1024, 0.5), point(4, 1536, 1.5)}), sizes{}) << "near enough";
  EXPECT_EQ(sizes_between({point(4, 8, 0.5), point(4, 16, 1.5)}), sizes{}) << "no whole double";
  tune_record later = point(4, 64, 0.97), also = point(4, 256, 1);
  EXPECT_EQ(sizes_between({later, also}), sizes{}) << "nothing to win";
}

TEST(tune_rules, ask_for_the_passes_that_a_size_between_others_lacks) {
  std::vector<tune_record> records;
  for (const std::uint64_t pass : {0, 1}) {
    for (const std::uint64_t bytes : {64, 4096}) {
      records.push_back(point(4, bytes, 1));
      records.back().pass = pass;
    }
  }
  EXPECT_EQ(sizes_between(records), sizes{});
  records.push_back(point(4, 512, 1));
  EXPECT_EQ(sizes_between(records), (sizes{512, 512})) << "once for each neighbour";
}

TEST(tune_rules, judge_counts_a_pass_of_an_older_record) {
  tune_record older = pass_of(0, 0.5);
  older.rounds = 0;
  EXPECT_EQ(verdict_of({older, pass_of(1, 0.6)}).algorithm, "tree:4");
  for (auto& [name, list] : older.times_ns) list.insert(list.end(), 8, 100);  // of the two alone
  older.times_ns["chain"] = times(0.9);
  EXPECT_EQ(rounds_of(older), usual.size());
  EXPECT_NEAR(verdict_of({older, pass_of(1, 0.6)}).ratio, std::sqrt(0.5 * 0.6), 1e-9);
}

TEST(tune_rules, passes_of_a_point_are_one_point) {
  tune_record later = point(4, 64, 0.5);
  later.pass = 1;
  tune_record first = point(4, 64, 0.5);
  first.rounds = later.rounds = usual.size();
  const tuned_points found = rules_of({later, point(4, 4096, 1), first});
  EXPECT_EQ(found.points, 2u);
  EXPECT_EQ(found.changed, 1u);
  ASSERT_EQ(found.table.rules.size(), 1u);
  EXPECT_EQ(found.table.rules.front().bytes.max, 128u);
}

TEST(tune_rules, neighbours_share_a_rule_that_reaches_half_of_the_way) {
  const tuned_points found =
      rules_of({point(4, 4096, 0.5), point(4, 64, 0.8), point(4, 1024, 0.5), point(4, 16384, 1)});
  ASSERT_EQ(found.table.rules.size(), 1u);
  EXPECT_EQ(found.points, 4u);
  EXPECT_EQ(found.changed, 3u);
  const coll::tuned_rule& rule = found.table.rules.front();
  EXPECT_EQ(rule.bytes.min, 32u);
  EXPECT_EQ(rule.bytes.max, 8192u) << "between 4096 and 16384";
  EXPECT_EQ(rule.ranks.min, 4u);
  EXPECT_EQ(rule.ranks.max, 4u);
  EXPECT_EQ(rule.algorithm, "tree");
  EXPECT_EQ(rule.radix, 4u);
  EXPECT_EQ(rule.one_host, true);
  EXPECT_EQ(rule.oversubscribed, true);
}

// Two passes over a wire of 25 us, in which it took a little more and less, and one of 1 ms.
TEST(tune_rules, are_for_one_kind_of_network_each) {
  const auto over = [](std::uint64_t network_ns, std::uint64_t pass, double tree_factor) {
    tune_record each = point(6, 64, tree_factor);
    each.hosts = 3;
    each.oversubscribed = false;
    each.network = "tcp";
    each.network_ns = network_ns;
    each.pass = pass;
    each.rounds = usual.size();
    return each;
  };
  const tuned_points found =
      rules_of({over(25'000, 0, 0.5), over(31'000, 1, 0.6), over(1'100'000, 0, 0.3)});
  EXPECT_EQ(found.points, 2u);
  ASSERT_EQ(found.table.rules.size(), 2u);
  EXPECT_EQ(found.table.rules[0].network_ns, 25'000u);
  EXPECT_EQ(found.table.rules[1].network_ns, 1'100'000u);
  EXPECT_EQ(rule_choice(found.table, over(40'000, 0, 1)), "tree:4");
  EXPECT_EQ(rule_choice(found.table, over(220'000, 0, 1)), "") << "neither";
  EXPECT_EQ(rule_choice(found.table, over(0, 0, 1)), "tree:4") << "an older record";
}

TEST(tune_rules, of_barriers_say_nothing_of_sizes) {
  tune_record barrier = point(6, 1, 1);
  barrier.collective = "barrier";
  barrier.hosts = 3;
  barrier.built_in = "dissemination:2";
  barrier.times_ns = {{"dissemination:2", usual}, {"dissemination:3", times(0.6)}};
  const tuned_points found = rules_of({barrier});
  ASSERT_EQ(found.table.rules.size(), 1u);
  EXPECT_EQ(found.table.rules[0].radix, 3u);
  EXPECT_EQ(found.table.rules[0].bytes.min, 0u);
  EXPECT_EQ(found.table.rules[0].bytes.max, coll::tuned_range{}.max);
}

TEST(tune_rules, say_how_data_are_cut) {
  tune_record cut = point(2, 65536, 1);
  cut.times_ns["tree:4/32768"] = times(0.5);
  const tuned_points found = rules_of({cut});
  ASSERT_EQ(found.table.rules.size(), 1u);
  EXPECT_EQ(found.table.rules.front().radix, 4u);
  EXPECT_EQ(found.table.rules.front().piece_bytes, 32768u);
}

TEST(tune_rules, say_every_parameter) {
  tune_record deep = point(2, 65536, 1);
  deep.times_ns["chain/depth=16"] = times(0.5);
  tune_record led = point(4, 65536, 1);
  led.times_ns["hierarchical/eager=1024/leaders=2"] = times(0.5);
  const tuned_points found = rules_of({deep, led});
  ASSERT_EQ(found.table.rules.size(), 2u);
  EXPECT_EQ(found.table.rules[0].algorithm, "chain");
  EXPECT_EQ(found.table.rules[0].depth, 16u);
  EXPECT_EQ(found.table.rules[1].algorithm, "hierarchical");
  EXPECT_EQ(found.table.rules[1].eager_bytes, 1024u);
  EXPECT_EQ(found.table.rules[1].leaders, 2u);
}

// A rule that was read by half would force something that nobody has measured.
TEST(tune_rules, are_not_made_of_damaged_records) {
  for (const char* const damaged : {"chain/32768/65536", "tree:4/dep=2", "chain/depth=2/depth=4"}) {
    tune_record one = point(2, 65536, 1);
    one.times_ns[damaged] = times(0.5);
    try {
      rules_of({one});
      FAIL() << damaged << " became a rule";
    } catch (const error& refused) {
      EXPECT_NE(refused.cause().find(damaged), std::string::npos) << refused.what();
    }
  }
}

TEST(tune_rules, series_do_not_run_into_each_other) {
  tune_record in_flight = point(2, 64, 0.5);
  in_flight.blocking = false;
  in_flight.times_ns["chain"] = times(0.3);
  const tuned_points found = rules_of({point(2, 64, 0.5), in_flight, point(4, 64, 0.5)});
  EXPECT_EQ(found.table.rules.size(), 3u);
}

TEST(tune_rules, hold_for_both_forms_where_these_agree) {
  tune_record overlapped = point(2, 64, 0.6);
  overlapped.blocking = false;
  tune_record other = point(4, 64, 0.6);
  other.blocking = false;
  const tuned_points found = rules_of({point(2, 64, 0.5), overlapped, other});
  EXPECT_EQ(found.points, 3u);
  ASSERT_EQ(found.table.rules.size(), 2u);
  EXPECT_EQ(found.table.rules[0].blocking, false) << "of four ranks, which have no other form";
  EXPECT_FALSE(found.table.rules[1].blocking.has_value());
}

// A latency that gives nothing to the program is no gain: records with work beside the calls count.
TEST(tune_rules, judge_overlapped_calls_with_the_most_work_beside_them) {
  tune_record idle = point(2, 64, 0.5);
  idle.blocking = false;
  tune_record busy = point(2, 64, 1);
  busy.blocking = false;
  busy.work = 1;
  EXPECT_EQ(rules_of({idle}).table.rules.size(), 1u);
  const tuned_points found = rules_of({idle, busy});
  EXPECT_EQ(found.points, 1u);
  EXPECT_TRUE(found.table.rules.empty());
}

TEST(tune_rules, of_two_numbers_of_ranks_hold_between_them_where_they_agree) {
  const tuned_points found = rules_of({point(4, 64, 0.5), point(4, 256, 0.5), point(4, 1024, 0.5),
                                       point(8, 64, 1), point(8, 256, 0.5), point(8, 1024, 0.5)});
  ASSERT_EQ(found.table.rules.size(), 3u);
  const coll::tuned_rule& between = found.table.rules.back();
  EXPECT_EQ(between.ranks.min, 5u);
  EXPECT_EQ(between.ranks.max, 7u);
  EXPECT_EQ(between.bytes.min, found.table.rules[1].bytes.min) << "where both have it";
  EXPECT_EQ(between.bytes.max, 2048u);
  EXPECT_EQ(between.algorithm, "tree");
  EXPECT_EQ(rules_of({point(4, 64, 0.5), point(8, 64, 1)}).table.rules.size(), 1u)
      << "they disagree";
  EXPECT_EQ(rules_of({point(4, 64, 0.5), point(8, 64, 1), point(16, 64, 0.5)}).table.rules.size(),
            2u)
      << "not over one that was measured";
  EXPECT_EQ(rules_of({point(2, 64, 0.5), point(4, 64, 0.5)}).table.rules.size(), 2u)
      << "two have a core each, four share them";
}

TEST(tune_rules, of_other_elements_operations_and_strict_calls_say_what_differs) {
  const auto special = [](std::uint64_t bytes, double factor, auto change) {
    tune_record each = point(2, bytes, factor);
    change(each);
    return each;
  };
  const auto in_bytes = [](tune_record& each) { each.element_bytes = 1; };
  const auto in_order = [](tune_record& each) { each.commutative = false; };
  const auto strictly = [](tune_record& each) { each.strict = true; };
  const tuned_points found = rules_of({point(2, 64, 0.5), special(64, 0.5, in_bytes),
                                       special(64, 1, in_order), special(4096, 0.5, strictly)});
  EXPECT_EQ(found.points, 4u);
  ASSERT_EQ(found.table.rules.size(), 3u) << "bytes are as doubles";
  const coll::tuned_rule& ordered = found.table.rules[1];
  const coll::tuned_rule& strict = found.table.rules[0].strict ? found.table.rules[0] : ordered;
  const coll::tuned_rule& other = &strict == &ordered ? found.table.rules[0] : ordered;
  EXPECT_EQ(other.algorithm, "shared") << "the built-in choice, against the rule of doubles";
  EXPECT_EQ(other.commutative, false);
  EXPECT_EQ(strict.strict, true);
  EXPECT_FALSE(strict.blocking.has_value()) << "such calls have one form";
  EXPECT_EQ(strict.algorithm, "tree");
  EXPECT_FALSE(found.table.rules[2].commutative.has_value());
  EXPECT_FALSE(found.table.rules[2].element_bytes.has_value());
}

// Each record of a call that differs from the usual one gets the choice that was measured.
TEST(tune_rules, that_say_more_of_a_call_go_before_those_that_say_less) {
  const auto best_of = [](std::uint64_t element_bytes, bool commutative, bool strict,
                          const std::string& best) {
    tune_record each = point(2, 64, 1);
    each.element_bytes = element_bytes;
    each.commutative = commutative;
    each.strict = strict;
    each.times_ns[best] = times(0.5);
    return each;
  };
  const std::vector<tune_record> records{
      best_of(8, true, false, "tree:2"), best_of(4, true, false, "tree:4"),
      best_of(4, false, false, "chain"), best_of(8, false, false, "tree:8"),
      best_of(8, true, true, "tree:16"), best_of(1, false, false, "tree:8")};
  const coll::tuned_table table = rules_of(records).table;
  for (const tune_record& each : records) {
    EXPECT_EQ(rule_choice(table, each), verdict_of({each}).algorithm)
        << each.element_bytes << each.commutative << each.strict;
  }
  EXPECT_EQ(table.rules.size(), 5u) << "bytes in order are as doubles in order";
  tune_record strict_of_4 = records[4];
  strict_of_4.element_bytes = 4;
  EXPECT_EQ(rule_choice(table, strict_of_4), "tree:16");
}

TEST(tune_rules, for_strict_calls_are_judged_against_those_for_overlapped_calls) {
  tune_record overlapped = point(2, 64, 0.5);
  overlapped.blocking = false;
  tune_record strict = point(2, 64, 1);
  strict.strict = true;
  const coll::tuned_table table = rules_of({overlapped, strict}).table;
  EXPECT_EQ(rule_choice(table, strict), "shared") << "the built-in choice, against the other rule";
  EXPECT_EQ(rules_of({point(2, 64, 0.5), strict}).table.rules.size(), 1u) << "of calls waited for";
}

TEST(tune_rules, of_newer_records_over_hosts_replace_those_without_a_network) {
  const auto over_hosts = [](std::uint64_t bytes, const char* network, const char* best) {
    tune_record each = point(4, bytes, 1);
    each.hosts = 2;
    each.network = network;
    each.times_ns[best] = times(0.5);
    return each;
  };
  tune_record other_shape = over_hosts(64, "", "chain");
  other_shape.ranks = 8;
  const tuned_points found = rules_of({over_hosts(64, "", "chain"), over_hosts(4096, "", "chain"),
                                       over_hosts(64, "tcp", "tree:2"), other_shape});
  ASSERT_EQ(found.table.rules.size(), 2u);
  EXPECT_EQ(rule_choice(found.table, over_hosts(64, "tcp", "chain")), "tree:2");
  EXPECT_EQ(rule_choice(found.table, over_hosts(4096, "tcp", "chain")), "");
  EXPECT_EQ(rule_choice(found.table, other_shape), "chain");
}

TEST(tune_rules, over_hosts_name_their_network) {
  tune_record slow = point(4, 64, 0.5);
  slow.hosts = 2;
  slow.network = "tcp";
  tune_record fast = point(4, 64, 1);
  fast.hosts = 2;
  fast.network = "verbs";
  const tuned_points found = rules_of({slow, fast});
  EXPECT_EQ(found.points, 2u);
  ASSERT_EQ(found.table.rules.size(), 1u);
  EXPECT_EQ(found.table.rules[0].network, "tcp");
}

TEST(tune_rules, records_of_another_machine_are_left_out) {
  tune_record other = point(2, 64, 0.5);
  other.machine = "an abacus";
  EXPECT_EQ(rules_of({other}).points, 0u);
}

TEST(tune_rules, lines_that_are_no_records_are_passed_over) {
  const std::string path = testing::TempDir() + "atoll_records_" + std::to_string(::getpid());
  std::ofstream(path) << R"({"machine":"m","ranks":2,"hosts":1,"oversubscribed":false,)"
                      << R"("collective":"scan","bytes":8,"blocking":true,"built_in":"chain",)"
                      << R"("effective":{"chain":["depth"]},"times_ns":{"chain":[1.5]}})"
                      << "\nnonsense\n{\"times_ns\":{}}\n{\"machine\":\"m\",\"ra";
  const std::vector<tune_record> records = read_records(path);
  ::unlink(path.c_str());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].times_ns.at("chain").front(), 1.5);
  ASSERT_TRUE(records[0].effective.has_value());
  EXPECT_EQ(records[0].effective->at("chain"), std::vector<std::string>{"depth"});
  EXPECT_EQ(records[0].pass, 0u) << "of an earlier version";
}

// Two commands at once on one file once made two records of one pass.
TEST(tune_points, have_one_record_for_each_pass) {
  tune_record first{.machine = coll::machine_text(),
                    .collective = "scan",
                    .ranks = 2,
                    .hosts = 1,
                    .bytes = 8,
                    .built_in = "chain",
                    .times_ns = {{"chain", {10, 10, 10, 10}}}};
  tune_record again = first, later = first;
  again.times_ns["chain"].front() = 20;
  later.pass = 1;
  const std::vector<tune_passes> points = points_of({first, again, later});
  ASSERT_EQ(points.size(), 1u);
  ASSERT_EQ(points.front().size(), 2u);
  EXPECT_EQ(points.front().front().times_ns.at("chain").front(), 20) << "the last one";
}

TEST(tune_rules, are_not_made_of_records_with_settings_that_change_times) {
  const tune_record usual{.machine = coll::machine_text(),
                          .collective = "scan",
                          .ranks = 2,
                          .hosts = 1,
                          .bytes = 8,
                          .built_in = "chain",
                          .times_ns = {{"chain", {10, 10, 10, 10}}}};
  tune_record other = usual;
  other.settings = {"ATOLL_RMA_PATH=am"};
  EXPECT_EQ(rules_of({usual}).points, 1u);
  EXPECT_EQ(rules_of({other}).points, 0u);
}

}  // namespace
}  // namespace atl::tools
