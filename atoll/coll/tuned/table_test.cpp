// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of tuned choices: their text and back, what is refused and how that is said, which rule
// counts for a call, and that a table that is found but cannot be used leaves the job alone.
#include <atoll/coll/tuned/table.hpp>

#include <gtest/gtest.h>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/bootstrap/blob_table.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/selection.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <tests/support/thread_job.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace atl::coll {
namespace {

tuned_table sample() {
  tuned_table table{.machine = machine_text()};
  table.rules.push_back({.collective = "allreduce",
                         .ranks = {2, 3},
                         .one_host = true,
                         .bytes = {1, 1024},
                         .blocking = true,
                         .algorithm = "tree",
                         .radix = 3,
                         .piece_bytes = 32768,
                         .depth = 8,
                         .eager_bytes = 4096});
  table.rules.push_back({.collective = "allreduce",
                         .bytes = {1, 1024},
                         .element_bytes = 8,
                         .algorithm = "recursive_doubling"});
  table.rules.push_back({.collective = "alltoall", .algorithm = "bruck", .radix = 2});
  return table;
}

/// A file that ends with its object.
class table_file {
 public:
  explicit table_file(const std::string& content)
      : path_(std::filesystem::temp_directory_path() / text("atoll_table_", ::getpid(), ".json")) {
    std::ofstream(path_) << content;
  }
  table_file(const table_file&) = delete;
  table_file& operator=(const table_file&) = delete;
  ~table_file() { std::filesystem::remove(path_); }
  std::string setting() const { return "ATOLL_COLL_TABLE=" + path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string cause_of(const std::string& content) {
  try {
    parse_tuned_table(content, "sample.json");
  } catch (const error& refused) {
    EXPECT_EQ(refused.object(), "sample.json");
    EXPECT_FALSE(refused.remedy().empty());
    return refused.cause();
  }
  return "not refused";
}

std::string changed(const std::string& part, const std::string& by) {
  std::string content = text_of(sample());
  const auto place = content.find(part);
  EXPECT_NE(place, std::string::npos) << part << " in " << content;
  return content.replace(place, part.size(), by);
}

TEST(tuned_table, comes_back_from_its_text) {
  const tuned_table table = sample();
  const tuned_table back = parse_tuned_table(text_of(table), "sample.json");
  EXPECT_EQ(text_of(back), text_of(table));
  EXPECT_EQ(digest_of(back), digest_of(table));
  ASSERT_EQ(back.rules.size(), 3u);
  EXPECT_EQ(back.rules[0].ranks.max, 3u);
  EXPECT_EQ(back.rules[0].radix, 3u);
  EXPECT_FALSE(back.rules[1].one_host.has_value());
}

TEST(tuned_table, has_another_digest_when_one_rule_differs) {
  tuned_table table = sample();
  table.rules[1].bytes.max = 1025;
  EXPECT_NE(digest_of(table), digest_of(sample()));
}

TEST(tuned_table, is_refused_with_the_rule_and_the_word) {
  const std::string written = text_of(sample());
  EXPECT_EQ(cause_of(written), "not refused");
  EXPECT_EQ(cause_of(written.substr(0, written.size() / 2)), "it is no JSON, or only a part of it");
  EXPECT_EQ(cause_of("[]"), "the table is no object");
  EXPECT_EQ(cause_of(changed("\"version\": 6", "\"version\": 7")),
            "the table has version 7, and this Atoll reads 1 to 6");
  EXPECT_EQ(cause_of(changed("\"bytes\":[1,1024]", "\"bytes\":[1024,1]")),
            "rule 1 has \"bytes\" with its ends exchanged");
  EXPECT_EQ(cause_of(changed("\"element_bytes\":8", "\"element_bytes\":-8")),
            "rule 2 has no number \"element_bytes\"");
  EXPECT_EQ(cause_of(changed("\"blocking\":true", "\"by\":\"push\"")),
            "rule 1 has a \"by\" that is neither put nor get");
  EXPECT_EQ(cause_of(changed("\"blocking\":true", "\"blokcing\":true")),
            "rule 1 has a word that this version does not know");
}

TEST(tuned_table, is_refused_where_a_word_is_given_twice) {
  EXPECT_EQ(cause_of(changed("\"ranks\":[2,3]", "\"ranks\":[2,3],\"ranks\":[2,4]")),
            "it has \"ranks\" twice in one place");
}

TEST(tuned_table, is_refused_with_the_cause_where_it_cannot_be_read) {
  const auto cause = [](const std::string& path) {
    try {
      read_tuned_table(path);
    } catch (const error& refused) {
      EXPECT_EQ(refused.object(), path);
      return refused.cause();
    }
    return std::string("not refused");
  };
  EXPECT_EQ(cause("/"), "the table of collectives is no file");
  EXPECT_EQ(cause("/dev/null"), "the table of collectives is no file");
  EXPECT_EQ(cause("/nowhere/table.json"),
            "the table of collectives cannot be read (No such file or directory)");
}

TEST(tuned_table, has_fewer_parameters_in_older_versions) {
  const std::string unknown = "rule 1 has a word that this version does not know";
  const auto cause_in = [](int version, const tuned_table& table) {
    std::string content = text_of(table);
    content.replace(content.find("\"version\": 6"), 12, text("\"version\": ", version));
    return cause_of(content);
  };
  tuned_table strict = sample(), networked = sample();
  strict.rules[0].strict = true;
  networked.rules[0].network = "tcp";
  EXPECT_EQ(cause_in(3, sample()), "not refused");
  EXPECT_EQ(cause_in(3, strict), unknown);
  EXPECT_EQ(cause_in(3, networked), unknown);
  networked.rules[0].network_ns = 25000;
  EXPECT_EQ(cause_in(5, networked), "not refused");
  EXPECT_EQ(cause_in(4, networked), unknown);
  tuned_table table = sample();
  table.algorithms = "0.1.0-000000000000";
  EXPECT_EQ(cause_in(6, table), "not refused");
  EXPECT_EQ(cause_in(5, table), "the table has a word that this version does not know");
  table.algorithms.clear();
  EXPECT_EQ(cause_in(3, table), "not refused");
  table.rules[0].mover = "get";
  EXPECT_EQ(cause_in(4, table), "not refused");
  EXPECT_EQ(cause_in(3, table), unknown);
  table.rules[0].mover.clear();
  EXPECT_EQ(cause_in(2, table), unknown);
  table.rules[0].depth = 0;
  EXPECT_EQ(cause_in(2, table), unknown);
  table.rules[0].eager_bytes = 0;
  table.rules[0].leaders = 2;
  EXPECT_EQ(cause_in(2, table), unknown);
  table.rules[0].leaders = 0;
  EXPECT_EQ(cause_in(2, table), "not refused");
  EXPECT_EQ(cause_in(1, table), unknown);
  table.rules[0].piece_bytes = 0;
  EXPECT_EQ(cause_in(1, table), "not refused");
}

TEST(tuned_table, names_algorithms_with_their_parameters) {
  const std::string written = "tree:4/32768/depth=8/eager=1024/leaders=2/by=get";
  tuned_rule rule;
  EXPECT_EQ(read_algorithm(written, rule), "");
  EXPECT_EQ(rule.algorithm, "tree");
  EXPECT_EQ(rule.radix, 4u);
  EXPECT_EQ(rule.piece_bytes, 32768u);
  EXPECT_EQ(rule.depth, 8u);
  EXPECT_EQ(rule.eager_bytes, 1024u);
  EXPECT_EQ(rule.leaders, 2u);
  EXPECT_EQ(rule.mover, "get");
  EXPECT_EQ(algorithm_text(rule), written);
  tuned_rule other;
  EXPECT_EQ(read_algorithm("chain", other), "");
  EXPECT_EQ(algorithm_text(other), "chain");
  EXPECT_EQ(read_algorithm("tree:", other), "radix");
  EXPECT_EQ(read_algorithm("tree/", other), "piece");
  EXPECT_EQ(read_algorithm("tree/depth=-1", other), "depth");
  EXPECT_EQ(read_algorithm("tree/eager=1k", other), "eager limit");
  EXPECT_EQ(read_algorithm("tree/leaders=0", other), "number of leaders");
  EXPECT_EQ(read_algorithm("tree/by=push", other), "mover of large messages");
  EXPECT_EQ(read_algorithm("tree/by=put/by=get", other), "mover of large messages");
  EXPECT_EQ(read_algorithm("tree/color=3", other), "parameter");
  EXPECT_EQ(read_algorithm("chain/32768/65536", other), "piece") << "given twice";
  EXPECT_EQ(read_algorithm("chain/depth=2/depth=2", other), "depth");
  EXPECT_EQ(read_algorithm("chain/depth=2", other), "") << "nothing is left of the ones before";
}

std::string report_of_job(const std::vector<std::string>& variables) {
  testing::internal::CaptureStderr();
  support::run_job(
      2,
      [](runtime& job) {
        open(job);
        std::uint64_t value[256] = {};
        const reduction sum = built_in(reduce_operation::add, data_type::u64);
        value[0] = job.rank() + 1;
        allreduce(job.world(), value, value, 1, sum);
        EXPECT_EQ(value[0], 3u);
        event done = start_allreduce(job.world(), value, value, 4, sum);
        job.wait(done);
        allreduce(job.world(), value, value, 256, sum);
      },
      variables);
  return testing::internal::GetCapturedStderr();
}

// The user's own, those of the site, those of the installation that this program is in.
TEST(tuned_table, is_looked_for_in_the_folders_of_user_site_and_installation) {
  const std::vector<std::string> places = table_places();
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string prefix = program.parent_path().parent_path().string();
  const std::string share = prefix + "/share/atoll/collectives.json";
  const auto found = std::ranges::find(places, share);
  ASSERT_NE(found, places.end()) << share;
  EXPECT_EQ(*std::prev(found), prefix + "/etc/atoll/collectives.json");
  EXPECT_TRUE(user_table_path().empty() || places.front() == user_table_path());
}

TEST(tuned_choices, take_the_first_rule_that_fits) {
  const table_file file(text_of(sample()));
  const std::string report = report_of_job({file.setting(), "ATOLL_COLL_EXPLAIN=1"});
  EXPECT_NE(report.find("allreduce of 8 B on 2 members, 1 host, waited for: tree:3/32768/depth=8/"
                        "eager=4096 ("),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("tuned: rule 1 of "), std::string::npos) << report;
  EXPECT_NE(report.find("allreduce of 32 B on 2 members, 1 host, overlapped: recursive_doubling"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("tuned: rule 2 of "), std::string::npos) << report;
  EXPECT_NE(report.find("allreduce of 2 KiB on 2 members, 1 host, waited for: shared"),
            std::string::npos)
      << report;
}

TEST(tuned_choices, are_others_for_strict_calls) {
  tuned_table table{.machine = machine_text()};
  table.rules.push_back(
      {.collective = "allreduce", .strict = true, .algorithm = "tree", .radix = 2});
  table.rules.push_back({.collective = "allreduce", .algorithm = "recursive_doubling"});
  const table_file file(text_of(table));
  testing::internal::CaptureStderr();
  support::run_job(2,
                   [](runtime& job) {
                     open(job);
                     const reduction sum = built_in(reduce_operation::add, data_type::u64);
                     for (const bool strict : {false, true, false, true}) {
                       std::uint64_t value = job.rank() + 1;
                       allreduce(job.world(), &value, &value, 1, sum,
                                 {.begins_together = strict, .ends_together = strict});
                       EXPECT_EQ(value, 3u);
                     }
                   },
                   {file.setting(), "ATOLL_COLL_EXPLAIN=1"});
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("1 host, strict: tree:2 "), std::string::npos) << report;
  EXPECT_NE(report.find("1 host, waited for: recursive_doubling "), std::string::npos) << report;
}

std::string choice_over_hosts(const std::string& network) {
  tuned_table table{.machine = machine_text()};
  table.rules.push_back({.collective = "broadcast", .network = network, .algorithm = "chain"});
  const table_file file(text_of(table));
  testing::internal::CaptureStderr();
  support::run_job(2,
                   [](runtime& job) {
                     std::uint64_t value = job.rank();
                     open(job).chooser().use_networks("tcp");
                     broadcast(job.world(), 1, &value, &value, sizeof value);
                     EXPECT_EQ(value, 1u);
                   },
                   {file.setting(), "ATOLL_COLL_EXPLAIN=1"});
  return testing::internal::GetCapturedStderr();
}

TEST(tuned_choices, are_for_the_network_that_they_name) {
  EXPECT_NE(choice_over_hosts("tcp").find("tuned: rule 1 of"), std::string::npos);
  EXPECT_EQ(choice_over_hosts("verbs").find("tuned: rule 1 of"), std::string::npos);
  EXPECT_NE(choice_over_hosts("").find("tuned: rule 1 of"), std::string::npos) << "an older table";
}

// A wire of 1 ms and one of 25 us have the same name.
TEST(tuned_choices, are_for_networks_about_as_fast_as_the_one_they_were_made_for) {
  tuned_table table{.machine = machine_text()};
  table.rules.push_back(
      {.collective = "broadcast", .network = "tcp", .network_ns = 25'000, .algorithm = "chain"});
  table.rules.push_back({.collective = "broadcast",
                         .network = "tcp",
                         .network_ns = 1'000'000,
                         .algorithm = "tree",
                         .radix = 3});
  table.rules.push_back({.collective = "scan", .algorithm = "chain"});
  const table_file file(text_of(table));
  support::run_job(2, [&](runtime& job) {
    tuned_choices chosen(support::settings_of({file.setting()}));
    EXPECT_TRUE(chosen.says_how_fast_networks_are());
    chosen.use_networks("tcp");
    call asked;
    asked.kind = collective::broadcast;
    asked.bytes = 8;
    asked.size = job.size();
    asked.whole_team = &job.world();
    const auto rule_at = [&](std::uint64_t message_ns) {
      chosen.use_network_ns(message_ns);
      const tuned_choices::found* const found = chosen.find(asked, false);
      return found == nullptr ? 0 : found->rule;
    };
    EXPECT_EQ(rule_at(25'000), 1u);
    EXPECT_EQ(rule_at(7'000), 1u);
    EXPECT_EQ(rule_at(99'000), 1u);
    EXPECT_EQ(rule_at(6'000), 0u);
    EXPECT_NE(chosen.other_networks().find("tcp (a message takes about 1 ms) and not for tcp "
                                           "(a message takes about 6 us)"),
              std::string::npos)
        << chosen.other_networks();
    EXPECT_EQ(rule_at(300'000), 2u);
    EXPECT_EQ(rule_at(3'900'000), 2u);
    EXPECT_EQ(chosen.other_networks(), "");
    EXPECT_EQ(rule_at(200'000), 0u);
  });
}

TEST(tuned_choices, measure_how_fast_the_network_of_a_job_is) {
  tuned_table table{.machine = machine_text()};
  table.rules.push_back({.collective = "broadcast", .network_ns = 1, .algorithm = "chain"});
  const table_file file(text_of(table));
  testing::internal::CaptureStderr();
  support::run_job(5,
                   [](runtime& job) {
                     const std::uint64_t took = measure_network_ns(job);
                     EXPECT_GT(took, 1u);
                     std::uint64_t values[5] = {};
                     const std::uint64_t own = took;
                     allgather(job.world(), values, &own, sizeof own);
                     for (const std::uint64_t each : values) EXPECT_EQ(each, own);
                   },
                   {file.setting(), "ATOLL_NEIGHBOURHOOD=2", "ATOLL_COLL_EXPLAIN=1"});
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_EQ(report.find("tuned: rule"), std::string::npos) << report;
  support::run_job(2, [](runtime& job) { EXPECT_EQ(measure_network_ns(job), 0u); });
}

// Barriers by messages, of the team of all and of one that is made later.
TEST(tuned_choices, give_barriers_their_radix) {
  tuned_table table{.machine = machine_text()};
  table.rules.push_back({.collective = "barrier",
                         .ranks = {5, 5},
                         .one_host = false,
                         .blocking = true,
                         .algorithm = "dissemination",
                         .radix = 5});
  table.rules.push_back(
      {.collective = "barrier", .ranks = {3, 3}, .algorithm = "dissemination", .radix = 3});
  const table_file file(text_of(table));
  const auto report_with = [&](const char* setting) {
    testing::internal::CaptureStderr();
    support::run_job(5,
                     [](runtime& job) {
                       job.world().barrier();
                       event begun = job.world().start_barrier();
                       std::uint64_t value = job.rank();
                       broadcast(job.world(), 1, &value, &value, sizeof value);
                       for (int i = 0; i < 20; ++i) job.world().barrier();
                       job.wait(begun);
                       std::unique_ptr<team> made = split_team(job.world(), job.rank() / 3, 0);
                       for (int i = 0; i < 20; ++i) {
                         made->barrier();
                         broadcast(*made, 0, &value, &value, sizeof value);
                       }
                       destroy_team(std::move(made));
                     },
                     {file.setting(), setting, "ATOLL_COLL_EXPLAIN=1"});
    return testing::internal::GetCapturedStderr();
  };
  const std::string apart = report_with("ATOLL_NEIGHBOURHOOD=1");
  EXPECT_NE(apart.find("barriers on 5 members, 5 hosts: dissemination:5, tuned: rule 1 of"),
            std::string::npos)
      << apart;
  EXPECT_NE(apart.find("barriers on 3 members, 3 hosts: dissemination:3, tuned: rule 2 of"),
            std::string::npos)
      << apart;
  const std::string together = report_with("ATOLL_NEIGHBOURHOOD=0");
  EXPECT_EQ(together.find("dissemination"), std::string::npos) << "in shared memory: " << together;
}

TEST(tuned_choices, give_way_to_a_forced_algorithm) {
  const table_file file(text_of(sample()));
  const std::string report = report_of_job(
      {file.setting(), "ATOLL_COLL_EXPLAIN=1", "ATOLL_COLL_ALLREDUCE=scatter_allgather"});
  EXPECT_EQ(report.find("tuned"), std::string::npos) << report;
}

selection chosen_by(const std::vector<std::string>& variables) {
  return selection(support::settings_of(variables));
}

std::string refusal_of(selection& chosen, const std::vector<std::string>& texts,
                       rank_id own_rank = 0) {
  try {
    std::vector<bootstrap::blob> blobs;
    for (const std::string& each : texts) {
      const auto bytes = std::as_bytes(std::span(each));
      blobs.emplace_back(bytes.begin(), bytes.end());
    }
    chosen.settle(bootstrap::blob_table::of_blobs(blobs), own_rank);
  } catch (const error& refused) {
    return refused.what();
  }
  return {};
}

TEST(tuned_choices, say_that_they_are_for_other_networks) {
  tuned_table table{.machine = machine_text()};
  table.rules.push_back({.collective = "broadcast", .network = "verbs", .algorithm = "chain"});
  const table_file file(text_of(table));
  testing::internal::CaptureStderr();
  selection chosen = chosen_by({file.setting(), "ATOLL_COLL_EXPLAIN=1"});
  chosen.use_networks("tcp");
  EXPECT_EQ(refusal_of(chosen, {chosen.text()}), "");
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("for the network verbs and not for tcp"), std::string::npos) << report;
}

// Ranks that compared a rule with lists of their own would run different algorithms, and hang.
TEST(tuned_choices, for_a_network_are_left_out_by_all_where_ranks_have_different_networks) {
  tuned_table table{.machine = machine_text()};
  table.rules.push_back({.collective = "broadcast", .network = "verbs,tcp", .algorithm = "chain"});
  table.rules.push_back({.collective = "broadcast", .algorithm = "tree", .radix = 2});
  const table_file file(text_of(table));
  const auto report_of = [&](bool is_alike) {
    const std::vector<std::string> lists{"verbs,tcp", is_alike ? "verbs,tcp" : "tcp"};
    testing::internal::CaptureStderr();
    support::run_job(2,
                     [&](runtime& job) {
                       selection& chosen = open(job).chooser();
                       std::vector<std::string> texts;
                       for (const std::string& list : lists) {
                         chosen.use_networks(list);
                         texts.push_back(chosen.text());
                       }
                       chosen.use_networks(lists[job.rank()]);
                       EXPECT_EQ(refusal_of(chosen, texts, job.rank()), "");
                       std::uint64_t value = job.rank();
                       broadcast(job.world(), 0, &value, &value, sizeof value);
                       broadcast(job.world(), 1, &value, &value, sizeof value);
                       EXPECT_EQ(value, 0u);
                     },
                     {file.setting(), "ATOLL_COLL_EXPLAIN=1"});
    return testing::internal::GetCapturedStderr();
  };
  const std::string alike = report_of(true);
  EXPECT_NE(alike.find("tuned: rule 1 of"), std::string::npos) << alike;
  const std::string different = report_of(false);
  EXPECT_NE(different.find("tuned: rule 2 of"), std::string::npos) << different;
  EXPECT_EQ(different.find("tuned: rule 1 of"), std::string::npos) << different;
  EXPECT_NE(different.find("rank 1 has the network tcp and rank 0 verbs,tcp"), std::string::npos)
      << different;
}

TEST(tuned_choices, end_the_job_when_a_named_table_cannot_be_used) {
  tuned_table table = sample();
  table.machine = "an abacus";
  const table_file file(text_of(table));
  selection chosen = chosen_by({file.setting()});
  const std::string report = refusal_of(chosen, {chosen.text(), chosen.text()});
  EXPECT_NE(report.find("it was made on another machine (an abacus)"), std::string::npos) << report;
  EXPECT_NE(report.find("atoll tune"), std::string::npos) << report;
}

TEST(tuned_choices, refuse_an_algorithm_that_is_not_there) {
  tuned_table table = sample();
  table.rules[1].algorithm = "telepathy";
  const table_file file(text_of(table));
  selection chosen = chosen_by({file.setting()});
  const std::string report = refusal_of(chosen, {chosen.text()});
  EXPECT_NE(report.find("\"telepathy\" of \"allreduce\""), std::string::npos) << report;
}

TEST(tuned_choices, refuse_pieces_that_are_too_small_or_of_an_algorithm_that_makes_none) {
  const auto report_of = [](std::size_t rule, std::uint64_t piece_bytes) {
    tuned_table table = sample();
    table.rules[rule].piece_bytes = piece_bytes;
    const table_file file(text_of(table));
    selection chosen = chosen_by({file.setting()});
    return refusal_of(chosen, {chosen.text()});
  };
  EXPECT_EQ(report_of(0, piece_bytes_min), "");
  EXPECT_NE(report_of(0, piece_bytes_min - 1).find("whose piece is not from 32768 to"),
            std::string::npos);
  EXPECT_NE(report_of(0, piece_bytes_max + 1).find("rule 1 wants"), std::string::npos);
  EXPECT_NE(report_of(1, 65536).find("rule 2 wants"), std::string::npos);
}

TEST(tuned_choices, refuse_parameters_that_are_out_of_bounds_or_not_there) {
  const auto report_of = [](std::size_t rule, void (*change)(tuned_rule&)) {
    tuned_table table = sample();
    table.rules.push_back({.collective = "scan", .algorithm = "shared"});
    change(table.rules[rule]);
    const table_file file(text_of(table));
    selection chosen = chosen_by({file.setting()});
    return refusal_of(chosen, {chosen.text()});
  };
  const auto expect = [&](std::string_view words, std::size_t rule, void (*change)(tuned_rule&)) {
    const std::string report = report_of(rule, change);
    EXPECT_NE(report.find(words), std::string::npos) << report;
  };
  expect("whose depth is not from 1 to 64", 0, [](tuned_rule& rule) { rule.depth = 65; });
  expect("whose eager limit is not", 0, [](tuned_rule& rule) { rule.eager_bytes = 65537; });
  expect("which has no number of leaders", 0, [](tuned_rule& rule) { rule.leaders = 2; });
  expect("which has no mover of large messages", 3, [](tuned_rule& rule) { rule.mover = "get"; });
  expect("which has no depth", 1, [](tuned_rule& rule) { rule.depth = 2; });
  expect("without its radix", 2, [](tuned_rule& rule) { rule.radix = 0; });
}

TEST(tuned_table, says_with_which_algorithms_it_was_made) {
  tuned_table table = sample();
  table.algorithms = "0.1.0-000000000000";
  EXPECT_EQ(parse_tuned_table(text_of(table), "t").algorithms, table.algorithms);
  EXPECT_NE(other_algorithms_text(table.algorithms).find("other algorithms (0.1.0-000000000000)"),
            std::string::npos);
  table.algorithms.clear();
  EXPECT_EQ(parse_tuned_table(text_of(table), "t").algorithms, "") << "an older table";
  EXPECT_NE(other_algorithms_text(""), "");
  EXPECT_EQ(other_algorithms_text(algorithms_version()), "");
}

TEST(tuned_table, names_networks_in_units_that_can_be_read) {
  EXPECT_EQ(network_text("tcp", 0), "tcp");
  EXPECT_EQ(network_text("tcp", 25'400), "tcp (a message takes about 25.4 us)");
  EXPECT_EQ(network_text("tcp", 999'400), "tcp (a message takes about 999 us)");
  EXPECT_EQ(network_text("tcp", 999'600), "tcp (a message takes about 1 ms)");
  EXPECT_EQ(network_text("tcp", 1'200'000), "tcp (a message takes about 1.2 ms)");
}

TEST(tuned_table, tells_for_which_numbers_of_ranks_it_has_rules) {
  const auto ranks = [](std::vector<tuned_range> ranges) {
    tuned_table table;
    for (const tuned_range& each : ranges) table.rules.push_back({.ranks = each});
    return ranks_text(table);
  };
  EXPECT_EQ(ranks({}), "");
  EXPECT_EQ(ranks({{4, 4}, {2, 2}, {2, 2}}), "2 and 4");
  EXPECT_EQ(ranks({{4, 4}, {5, 7}, {8, 8}, {2, 2}, {16, 16}}), "2, 4 to 8 and 16");
  EXPECT_EQ(ranks({{2, 2}, {.min = 8}, {9, 9}}), "2 and 8 and more");
  EXPECT_EQ(ranks({{2, 2}, {}}), "all");
}

// One rank says it for the job.
TEST(tuned_choices, of_a_search_are_not_saved_without_one) {
  const auto report_of = [](rank_id rank) {
    testing::internal::CaptureStderr();
    selection chosen = chosen_by({"ATOLL_TUNE_SAVE=found.json", "ATOLL_COLL_TABLE=off"});
    EXPECT_EQ(refusal_of(chosen, {chosen.text(), chosen.text()}, rank), "");
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(report_of(0).find("nothing will be saved without ATOLL_TUNE=online"),
            std::string::npos);
  EXPECT_EQ(report_of(1), "");
}

TEST(tuned_choices, must_be_the_same_on_all_ranks_when_named) {
  const table_file file(text_of(sample()));
  selection chosen = chosen_by({file.setting()});
  EXPECT_EQ(refusal_of(chosen, {chosen.text(), chosen.text()}), "");
  const std::string report = refusal_of(chosen, {chosen.text(), "\nnamed 17"});
  EXPECT_NE(report.find("rank 1 has another table"), std::string::npos) << report;
}

TEST(tuned_choices, that_were_only_found_are_left_out_where_they_differ) {
  selection chosen = chosen_by({"ATOLL_COLL_TABLE=off"});
  testing::internal::CaptureStderr();
  EXPECT_EQ(refusal_of(chosen, {chosen.text(), "\nfound 17"}), "");
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("rank 1 has another table"), std::string::npos) << report;
}

}  // namespace
}  // namespace atl::coll
