// SPDX-License-Identifier: BSD-3-Clause
//
// Online tuning in the calls of a program: results stay right, members choose alike, agreements are
// few, a member that runs far ahead waits for nobody in a call that must not wait, and what was
// found is saved. Which algorithm wins depends on the machine, and is not tested.
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/engine/selection.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace atl::coll {
namespace {

const reduction sum_u64 = built_in(reduce_operation::add, data_type::u64);
const std::string online = "ATOLL_TUNE=online";

void expect_sums(runtime& job, std::size_t calls, std::size_t count) {
  std::vector<std::uint64_t> values(count), sums(count);
  for (std::size_t call = 0; call < calls; ++call) {
    for (std::size_t i = 0; i < count; ++i) values[i] = call + i + job.rank();
    allreduce(job.world(), sums.data(), values.data(), count, sum_u64);
    const std::uint64_t ranks = job.size();
    ASSERT_EQ(sums[count - 1], ranks * (call + count - 1) + ranks * (ranks - 1) / 2);
  }
}

TEST(online_tuning, keeps_results_right_and_agrees_rarely) {
  const auto body = [](runtime& job) {
    engine& engine = open(job);
    expect_sums(job, 300, 1);
    EXPECT_EQ(engine.agreements(), 2u);  // one search
    expect_sums(job, 300, 700);
    EXPECT_EQ(engine.agreements(), 4u);  // another kind of call
  };
  support::run_job(3, body, {online});
}

// Strict calls have searches of their own, whether the caller waits or not.
TEST(online_tuning, tries_algorithms_in_calls_whose_members_begin_or_end_together) {
  testing::internal::CaptureStderr();
  const auto body = [](runtime& job) {
    engine& engine = open(job);
    const choice strict{.begins_together = true, .ends_together = true};
    for (std::uint64_t call = 0; call < 300; ++call) {
      std::uint64_t value = call + job.rank(), sum = 0, loose = 0;
      if (call % 2 == 0) {
        allreduce(job.world(), &sum, &value, 1, sum_u64, strict);
      } else {
        event done = start_allreduce(job.world(), &sum, &value, 1, sum_u64, strict);
        job.wait(done);
      }
      allreduce(job.world(), &loose, &value, 1, sum_u64);
      ASSERT_EQ(sum, 3 * call + 3);
      ASSERT_EQ(loose, sum);
    }
    EXPECT_EQ(engine.agreements(), 4u);  // two searches
  };
  support::run_job(3, body, {online, "ATOLL_COLL_EXPLAIN=1"});
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("allreduce of 8 B and more on 3 members, strict"), std::string::npos)
      << report;
}

TEST(online_tuning, reviews_its_choice_after_thousands_of_calls) {
  const auto body = [](runtime& job) {
    engine& engine = open(job);
    expect_sums(job, 300, 1);
    EXPECT_EQ(engine.agreements(), 2u);
    expect_sums(job, 4300, 1);
    EXPECT_GE(engine.agreements(), 3u);  // a review, and a search more if the rhythm has changed
    EXPECT_LE(engine.agreements(), 5u);
  };
  support::run_job(2, body, {online});
}

TEST(online_tuning, allocates_nothing_once_it_is_settled) {
  const auto body = [](runtime& job) {
    engine& engine = open(job);
    expect_sums(job, 300, 1);
    job.world().barrier();
    const std::uint64_t before = engine.allocations();
    expect_sums(job, 3000, 1);
    EXPECT_LE(engine.allocations() - before, 4u);
  };
  support::run_job(2, body, {online});
}

// Rank 0 starts a thousand calls while the others have started none: it must get through them,
// because the others wait for it outside of Atoll.
TEST(online_tuning, lets_a_member_start_calls_while_the_others_have_not_begun) {
  std::atomic<bool> has_started = false;
  const auto body = [&](runtime& job) {
    open(job);
    constexpr std::size_t calls = 1000;
    std::vector<std::uint64_t> values(calls), sums(calls);
    std::vector<event> done(calls);
    const auto start = [&] {
      for (std::size_t i = 0; i < calls; ++i) {
        values[i] = i * (job.rank() + 1);
        done[i] = start_allreduce(job.world(), &sums[i], &values[i], 1, sum_u64);
      }
    };
    if (job.rank() == 0) {
      start();
      has_started.store(true, std::memory_order_release);
    } else {
      while (!has_started.load(std::memory_order_acquire)) std::this_thread::yield();
      start();
    }
    // A blocking call that is behind the postponed ones.
    std::uint64_t last = 1;
    allreduce(job.world(), &last, &last, 1, sum_u64);
    EXPECT_EQ(last, 3u);
    for (std::size_t i = 0; i < calls; ++i) {
      job.wait(done[i]);
      EXPECT_EQ(sums[i], i * 6);
    }
  };
  support::run_job(3, body, {online});
}

// Seven algorithms and radixes over two hosts, and of the rules' choice, which is hierarchical,
// another eager limit and two leaders.
TEST(online_tuning, tries_parameters_of_the_choice_of_the_rules) {
  testing::internal::CaptureStderr();
  const auto body = [](runtime& job) {
    open(job);
    expect_sums(job, 300, 2000);
  };
  support::run_job(4, body, {online, "ATOLL_NEIGHBOURHOOD=2", "ATOLL_COLL_EXPLAIN=1"});
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find(" of 9 algorithms tried"), std::string::npos) << report;
}

TEST(online_tuning, leaves_alone_what_a_setting_forces) {
  const auto body = [](runtime& job) {
    engine& engine = open(job);
    EXPECT_EQ(engine.chooser().forced(), "ATOLL_COLL_ALLREDUCE=tree:2 ATOLL_TUNE=online ");
    expect_sums(job, 300, 1);
    EXPECT_EQ(engine.agreements(), 0u);
  };
  support::run_job(2, body, {online, "ATOLL_COLL_ALLREDUCE=tree:2"});
}

TEST(online_tuning, says_what_it_has_found) {
  testing::internal::CaptureStderr();
  support::run_job(2,
                   [](runtime& job) {
                     open(job);
                     expect_sums(job, 300, 1);
                   },
                   {online, "ATOLL_COLL_EXPLAIN=1"});
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("allreduce of 8 B and more on 2 members, waited for"), std::string::npos)
      << report;
  EXPECT_NE(report.find("algorithms tried in the program's calls"), std::string::npos) << report;
}

/// A file for this process alone, removed at the end.
struct saved_table {
  std::string path = text("/tmp/atoll-online-", ::getpid(), ".json");
  saved_table() { std::filesystem::remove(path); }
  saved_table(const saved_table&) = delete;
  saved_table& operator=(const saved_table&) = delete;
  ~saved_table() { std::filesystem::remove(path); }
  std::string setting() const { return "ATOLL_TUNE_SAVE=" + path; }
};

TEST(online_tuning, saves_what_it_has_found_before_the_rules_of_the_file) {
  const saved_table file;
  tuned_rule old{.collective = "scan", .algorithm = "doubling"};
  old.ranks = {2, 2};
  std::ofstream(file.path) << text_of({.machine = machine_text(), .rules = {old}});
  const auto body = [](runtime& job) {
    open(job);
    expect_sums(job, 300, 1);
  };
  support::run_job(2, body, {online, file.setting()});
  const tuned_table table = read_tuned_table(file.path);
  ASSERT_GE(table.rules.size(), 1u);
  EXPECT_LE(table.rules.size(), 2u);  // it depends on whether the rules' own choice was the best
  EXPECT_EQ(table.rules.back().collective, "scan");
  EXPECT_EQ(table.machine, machine_text());
  // The file can be used.
  support::run_job(2, body, {"ATOLL_COLL_TABLE=" + file.path});
}

// A search among two algorithms that has come to its end: the second is faster.
tuned_call searched_to_second(const call& sample) {
  const bool is_scan = sample.kind == collective::scan;
  const algorithm* const first = find_algorithm(sample.kind, is_scan ? "chain" : "tree");
  const algorithm* const second =
      find_algorithm(sample.kind, is_scan ? "doubling" : "recursive_doubling");
  tuned_call searched(sample, {{.use = first, .radix = first->radix}, {.use = second}});
  while (!searched.search.settled()) {
    if (searched.search.wants_agreement()) {
      searched.search.begin_agreement();
      searched.search.agreed();
    }
    const std::size_t candidate = searched.search.next();
    searched.search.add(candidate == 0 ? 1000 : 100, 0);
  }
  return searched;
}

// Hours of search would be lost at the end.
TEST(online_tuning, is_refused_at_once_where_it_cannot_save) {
  const auto refusal_with = [](const std::string& path) {
    std::array<std::string, 2> refusals;
    support::run_job(2,
                     [&](runtime& job) {
                       try {
                         open(job);
                       } catch (const error& refused) {
                         refusals[job.rank()] = refused.what();
                       }
                     },
                     {online, "ATOLL_TUNE_SAVE=" + path});
    EXPECT_EQ(refusals[0].empty(), refusals[1].empty()) << "alike on all ranks";
    return refusals[0];
  };
  const saved_table file;
  std::ofstream(file.path) << "{";
  const std::string damaged = refusal_with(file.path);
  EXPECT_NE(damaged.find(file.path), std::string::npos) << damaged;
  EXPECT_NE(damaged.find("ATOLL_TUNE_SAVE names this file"), std::string::npos) << damaged;
  EXPECT_EQ(std::filesystem::file_size(file.path), 1u);
  std::ofstream(file.path) << text_of({.machine = "an abacus"});
  EXPECT_NE(refusal_with(file.path).find("made on another machine"), std::string::npos);
  const std::string nowhere = refusal_with("/nowhere/table");
  EXPECT_NE(nowhere.find("it cannot be written (No such file"), std::string::npos) << nowhere;
}

TEST(online_rules, of_processes_that_end_together_are_all_saved) {
  const saved_table file;
  const auto body = [&](runtime& job) {
    open(job);
    call whole;
    whole.kind = collective::scan;
    whole.bytes = 1000;  // calls of no bytes are not searched
    whole.combine = sum_u64;
    whole.whole_team = &job.world();
    whole.one_host = true;
    constexpr rank_id writers = 4, turns = 10;
    std::vector<std::jthread> threads;
    for (rank_id writer = 0; writer < writers; ++writer) {
      threads.emplace_back([&, writer] {
        for (rank_id turn = 0; turn < turns; ++turn) {
          call own = whole;
          own.size = 100 * writer + turn + 1;
          online_rules rules;
          rules.add(own, searched_to_second(own), 0);
          rules.save(file.path);
        }
      });
    }
    threads.clear();
    EXPECT_EQ(read_tuned_table(file.path).rules.size(), std::size_t{writers} * turns);
  };
  support::run_job(1, body);
}

// A rule that a search brings is for exactly the calls that were searched.
TEST(online_rules, are_for_the_calls_that_were_searched) {
  const saved_table file;
  const auto body = [&](runtime& job) {
    engine& engine = open(job);
    call whole;
    whole.kind = collective::allreduce;
    whole.bytes = 1000;
    whole.combine = sum_u64;
    whole.size = job.size();
    whole.whole_team = &job.world();
    whole.one_host = true;
    whole.blocking = true;
    const tuned_call searched = searched_to_second(whole);
    if (job.rank() != 0) return;
    engine.chooser().settled(whole, searched);
    engine.chooser().save_online();
    const tuned_table table = read_tuned_table(file.path);
    ASSERT_EQ(table.rules.size(), 1u);
    const tuned_rule& rule = table.rules.front();
    EXPECT_EQ(rule.collective, "allreduce");
    EXPECT_EQ(rule.algorithm, "recursive_doubling");
    EXPECT_EQ(rule.bytes.min, 512u);
    EXPECT_EQ(rule.bytes.max, 1023u);
    EXPECT_EQ(rule.ranks.min, 2u);
    EXPECT_EQ(rule.ranks.max, 2u);
    EXPECT_EQ(rule.element_bytes, 8u);
    EXPECT_EQ(rule.blocking, true);
    EXPECT_EQ(rule.one_host, true);
  };
  support::run_job(2, body, {online, file.setting()});
}

}  // namespace
}  // namespace atl::coll
