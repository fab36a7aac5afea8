// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of an algorithm for a call: settings force one, those that cannot be used fall back,
// and tuning tries the parameters that make a difference. A refusal names the object and the
// remedy.
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/recommended.hpp>
#include <atoll/coll/engine/selection.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/trace/counters.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace atl::coll {
namespace {

TEST(selection, forces_an_algorithm_by_a_setting) {
  support::run_job(3,
                   [](runtime& job) {
                     engine& engine = open(job);
                     EXPECT_EQ(engine.chooser().forced(),
                               "ATOLL_COLL_BROADCAST=chain ATOLL_COLL_ALLGATHER=bruck:3 ");
                     std::uint64_t value = job.rank();
                     broadcast(job.world(), 2, &value, &value, sizeof value);
                     EXPECT_EQ(value, 2u);
                     std::uint64_t each[3] = {};
                     value = job.rank() + 5;
                     allgather(job.world(), each, &value, sizeof value);
                     EXPECT_EQ(each[0] + each[1] + each[2], 18u);
                   },
                   {"ATOLL_COLL_BROADCAST=chain", "ATOLL_COLL_ALLGATHER=bruck:3"});
}

// Each piece takes a message that asks for it and one that brings it, which tells how the data were
// cut.
TEST(selection, cuts_data_as_a_setting_says) {
  const auto requests = [] {
    return trace::read()[static_cast<std::size_t>(trace::counter::requests)];
  };
  const auto requests_of = [&](const std::string& algorithm) {
    std::uint64_t counted = 0;
    const auto body = [&](runtime& job) {
      open(job);
      std::vector<std::uint64_t> data(65536, job.rank());
      job.world().barrier();
      const std::uint64_t before = requests();
      job.world().barrier();
      broadcast(job.world(), 0, data.data(), data.data(), data.size() * sizeof data[0]);
      EXPECT_EQ(data.back(), 0u);
      job.world().barrier();
      if (job.rank() == 0) counted = requests() - before;
      job.world().barrier();
    };
    support::run_job(2, body, {"ATOLL_COLL_BROADCAST=" + algorithm});
    return counted;
  };
  EXPECT_EQ(requests_of("chain/65536"), 16u);
  EXPECT_EQ(requests_of("chain/32768"), 32u);
}

// A chain over three hosts cuts smaller than a tree, and a broadcast of two members does not cut.
// Pieces come in messages of up to 64 KiB, so the number of messages tells their size, but for
// those of the barriers.
TEST(selection, cuts_smaller_in_chains_over_three_hosts_and_not_for_two_members) {
  const auto requests_of = [](rank_id ranks, const std::string& algorithm) {
    std::uint64_t counted = 0;
    const auto requests = [] {
      return trace::read()[static_cast<std::size_t>(trace::counter::requests)];
    };
    const auto body = [&](runtime& job) {
      std::vector<std::uint64_t> data(524'288, job.rank());
      job.world().barrier();
      const std::uint64_t before = requests();
      broadcast(job.world(), 0, data.data(), data.data(), data.size() * sizeof data[0]);
      EXPECT_EQ(data.back(), 0u);
      job.world().barrier();
      if (job.rank() == 0) counted = requests() - before;
      job.world().barrier();
    };
    support::run_job(ranks, body, {"ATOLL_NEIGHBOURHOOD=1", "ATOLL_COLL_BROADCAST=" + algorithm});
    return static_cast<double>(counted);
  };
  constexpr double of_barriers = 14;
  EXPECT_NEAR(requests_of(3, "chain"), requests_of(3, "chain/131072"), of_barriers);
  EXPECT_NEAR(requests_of(2, "chain"), requests_of(2, "chain/4194304"), of_barriers);
  EXPECT_LT(requests_of(2, "chain"), requests_of(2, "chain/131072") - of_barriers);
  EXPECT_NEAR(requests_of(3, "tree"), requests_of(3, "tree/262144"), of_barriers);
  EXPECT_GT(requests_of(3, "chain"), requests_of(3, "chain/262144") + of_barriers);
}

TEST(selection, tries_pieces_of_half_and_of_four_times_the_usual_size) {
  const auto names_of = [](runtime& job) {
    call asked;
    asked.kind = collective::broadcast;
    asked.bytes = 1 << 20;
    asked.size = job.size();
    asked.whole_team = &job.world();
    asked.one_host = job.world().hosts().one_host();
    std::string names;
    for (const choice& base : {choice{.use = find_algorithm(asked.kind, "tree"), .radix = 2},
                               choice{.use = find_algorithm(asked.kind, "chain")}}) {
      for (const choice& each : variants_of(base, asked)) names += name_of(each) + " ";
    }
    return names;
  };
  const auto body = [&](runtime& job) {
    EXPECT_EQ(names_of(job),
              "tree:2/131072 tree:2/1048576 tree:2/depth=2 tree:2/by=get "
              "chain/65536 chain/524288 chain/depth=2 chain/depth=16 chain/by=get ");
  };
  support::run_job(3, body, {"ATOLL_NEIGHBOURHOOD=1"});
  const auto body_on_one_host = [&](runtime& job) {
    EXPECT_EQ(names_of(job),
              "tree:2/32768 tree:2/262144 tree:2/depth=2 tree:2/depth=16 tree:2/by=get "
              "chain/32768 chain/262144 chain/depth=2 chain/depth=16 chain/by=get ");
  };
  support::run_job(3, body_on_one_host);
}

// A flat tree is among the candidates where no other radix makes one.
TEST(selection, tries_trees_from_binomial_to_flat) {
  const auto trees_of = [](rank_id ranks, std::string_view name = "tree", unsigned of_host = 8) {
    std::string names;
    const auto body = [&](runtime& job) {
      if (job.rank() != 0) return;
      call asked;
      asked.kind = collective::broadcast;
      asked.bytes = 8;
      asked.size = job.size();
      asked.whole_team = &job.world();
      asked.one_host = job.world().hosts().one_host();
      for (const choice& each : candidates_of(asked, recommended(asked))) {
        if (each.use->name == name) names += name_of(each) + " ";
      }
    };
    support::run_job(ranks, body, {text("ATOLL_NEIGHBOURHOOD=", of_host)});
    return names;
  };
  EXPECT_EQ(trees_of(2), "tree:2 ");
  EXPECT_EQ(trees_of(5), "tree:2 tree:3 tree:4 ") << "radix 4 is flat for five";
  EXPECT_EQ(trees_of(6), "tree:2 tree:3 tree:4 tree:6 ");
  EXPECT_EQ(trees_of(8), "tree:2 tree:3 tree:4 tree:8 ");
  EXPECT_EQ(trees_of(3, "fork"), "") << "it is a chain or a flat tree";
  EXPECT_EQ(trees_of(8, "fork"), "fork:3 ");
  EXPECT_EQ(trees_of(8, "fork", 4), "fork:3 fork:4 ");
  EXPECT_EQ(trees_of(8, "fork", 1), "fork:3 ");
}

// The parameters that make a difference for a call, and no others.
TEST(selection, tries_other_eager_limits_and_leaders_where_they_count) {
  const auto names_of = [](runtime& job, collective kind, std::string_view name,
                           std::size_t bytes) {
    call asked;
    asked.kind = kind;
    asked.bytes = bytes;
    asked.size = job.size();
    asked.whole_team = &job.world();
    asked.one_host = job.world().hosts().one_host();
    const algorithm* const use = find_algorithm(kind, name);
    std::string names;
    for (const choice& each : variants_of({.use = use, .radix = use->radix}, asked)) {
      names += name_of(each) + " ";
    }
    return names;
  };
  const auto over_hosts = [&](runtime& job) {
    const auto of = [&](std::string_view name, std::size_t bytes) {
      return names_of(job, collective::allreduce, name, bytes);
    };
    EXPECT_EQ(of("recursive_doubling", 1024), "");
    EXPECT_EQ(of("recursive_doubling", 2048), "recursive_doubling/eager=1024 ");
    EXPECT_EQ(of("recursive_doubling", 65537), "recursive_doubling/by=get ");
    EXPECT_EQ(of("hierarchical", 1024), "hierarchical/leaders=2 ");
    EXPECT_EQ(of("hierarchical", 4096), "hierarchical/eager=1024 hierarchical/leaders=2 ");
    EXPECT_EQ(of("scatter_allgather", 4 * 65537),
              "scatter_allgather/depth=1 scatter_allgather/by=get ");
  };
  support::run_job(4, over_hosts, {"ATOLL_NEIGHBOURHOOD=2"});
  const auto on_one_host = [&](runtime& job) {
    call asked;
    asked.kind = collective::alltoall;
    asked.bytes = 20'000;
    asked.size = job.size();
    asked.whole_team = &job.world();
    asked.one_host = true;
    const auto other = other_protocols_of({.use = find_algorithm(asked.kind, "pairwise")}, asked);
    ASSERT_EQ(other.size(), 1u);
    EXPECT_EQ(name_of(other[0]), "pairwise/eager=65536");
    EXPECT_TRUE(other_protocols_of(other[0], asked).empty());
    EXPECT_TRUE(variants_of(other[0], asked).empty()) << "no depth of what comes when it comes";
    EXPECT_EQ(names_of(job, collective::allgather, "linear", 32768),
              "linear/eager=65536 linear/by=get ");
    EXPECT_EQ(names_of(job, collective::allgather, "ring", 100'000),
              "ring/depth=1 ring/depth=8 ring/by=get ");
    EXPECT_EQ(names_of(job, collective::allgather, "ring", 20'000),
              "ring/depth=1 ring/depth=8 ring/by=get ")
        << "a neighbour would get three large messages of a call at once";
    EXPECT_EQ(names_of(job, collective::allgather, "ring", 2048), "ring/eager=1024 ");
    EXPECT_EQ(names_of(job, collective::allgather, "shared", 100'000), "");
  };
  support::run_job(4, on_one_host);
}

TEST(selectionDeathTest, asserts_the_parameters_that_a_caller_asks_for) {
  const auto use = [](const choice& wrong) {
    support::run_job(2, [&](runtime& job) {
      open(job);
      std::uint64_t value = 1;
      broadcast(job.world(), 0, &value, &value, sizeof value, wrong);
    });
  };
  const algorithm* const tree = find_algorithm(collective::broadcast, "tree");
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(use({.use = tree, .radix = 2, .eager_bytes = eager_bytes_max + 1}), "eager limit");
  EXPECT_DEATH(use({.use = tree, .radix = 2, .leaders = 2}), "number of leaders");
}

TEST(selection, tells_how_many_leaders_the_hosts_can_have) {
  testing::internal::CaptureStderr();
  support::run_job(7,
                   [](runtime& job) {
                     open(job);
                     std::uint64_t value = 1;
                     for (int i = 0; i < 3; ++i)
                       allreduce(job.world(), &value, &value, 1,
                                 built_in(reduce_operation::add, data_type::u64));
                   },
                   {"ATOLL_COLL_EXPLAIN=1", "ATOLL_NEIGHBOURHOOD=5",
                    "ATOLL_COLL_ALLREDUCE=hierarchical/leaders=4"});
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("2 hosts, waited for: hierarchical/leaders=2 ("), std::string::npos)
      << report;
  const auto noted =
      report.find("with 4 leaders, but the smallest of 2 hosts of a team has 2 of its 7 members");
  ASSERT_NE(noted, std::string::npos) << report;
  EXPECT_EQ(report.find("leaders, but the smallest", noted + 20), std::string::npos) << report;
}

TEST(selection, falls_back_where_a_forced_algorithm_cannot_be_used) {
  support::run_job(3,
                   [](runtime& job) {
                     open(job);
                     std::uint64_t value = job.rank();
                     broadcast(job.world(), 1, &value, &value, sizeof value);
                     EXPECT_EQ(value, 1u);
                   },
                   {"ATOLL_COLL_BROADCAST=hierarchical"});
}

TEST(selection, explains_its_choice_once_per_kind_of_call) {
  testing::internal::CaptureStderr();
  support::run_job(2,
                   [](runtime& job) {
                     open(job);
                     std::uint64_t value = job.rank();
                     for (int i = 0; i < 5; ++i)
                       allreduce(job.world(), &value, &value, 1,
                                 built_in(reduce_operation::add, data_type::u64));
                   },
                   {"ATOLL_COLL_EXPLAIN=1", "ATOLL_COLL_ALLREDUCE=tree:3"});
  const std::string report = testing::internal::GetCapturedStderr();
  const auto first = report.find("allreduce of 8 B on 2 members, 1 host, waited for: tree:3");
  ASSERT_NE(first, std::string::npos) << report;
  EXPECT_NE(report.find("forced by a setting"), std::string::npos) << report;
  EXPECT_EQ(report.find("allreduce of", first + 1), std::string::npos) << report;
}

void expect_refusal(collective kind, std::string_view given, std::string_view words) {
  try {
    parse_choice(kind, given, "ATOLL_COLL_X");
    FAIL() << given << " was accepted";
  } catch (const error& refused) {
    EXPECT_NE(std::string_view(refused.what()).find(words), std::string_view::npos)
        << refused.what();
  }
}

TEST(selection, refuses_unknown_names_with_the_list_of_known_ones) {
  expect_refusal(collective::broadcast, "tre",
                 "tree[:radix][/bytes][/depth=pieces][/eager=bytes][/by=side], "
                 "fork[:radix][/bytes][/depth=pieces][/eager=bytes][/by=side], "
                 "chain[/bytes][/depth=pieces][/eager=bytes][/by=side], scatter_allgather");
  expect_refusal(collective::broadcast, "tre",
                 "hierarchical[/eager=bytes][/leaders=members][/by=side], shared");
  expect_refusal(collective::alltoall, "",
                 "pairwise[/depth=pieces][/eager=bytes][/by=side], bruck[:radix]");
  expect_refusal(collective::alltoall, "pairwise:4", "has none");
  expect_refusal(collective::broadcast, "tree:", "from 2 to");
  expect_refusal(collective::broadcast, "tree:1", "from 2 to");
  expect_refusal(collective::broadcast, "tree:4x", "from 2 to");
  expect_refusal(collective::broadcast, "tree:99999999999", "from 2 to");
  expect_refusal(collective::broadcast, "chain/", "from 32768 to");
  expect_refusal(collective::broadcast, "tree:4/1000", "from 32768 to");
  expect_refusal(collective::broadcast, "scatter_allgather/65536", "has none");
  expect_refusal(collective::broadcast, "chain/depth=0", "no such depth; give one from 1 to 64");
  expect_refusal(collective::broadcast, "chain/depth=65", "no such depth; give one from 1 to 64");
  expect_refusal(collective::broadcast, "hierarchical/depth=2", "hierarchical has none");
  expect_refusal(collective::broadcast, "chain/eager=", "no such eager limit; give one from 1 to");
  expect_refusal(collective::broadcast, "chain/eager=65537", "no such eager limit");
  expect_refusal(collective::broadcast, "shared/eager=100", "shared has none");
  expect_refusal(collective::broadcast, "tree/by=push",
                 "no such mover of large messages; give put or get");
  expect_refusal(collective::broadcast, "shared/by=get", "shared has none");
  expect_refusal(collective::broadcast, "hierarchical/leaders=5",
                 "number of leaders; give one from");
  expect_refusal(collective::broadcast, "chain/leaders=2", "chain has none");
  expect_refusal(collective::broadcast, "chain/width=2", "has such a word");
}

}  // namespace
}  // namespace atl::coll
