// SPDX-License-Identifier: BSD-3-Clause
//
// Threads that come and go: their records go to those that come later, and never while something is
// under way.
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace atl {
namespace {

TEST(implicit_states, of_an_ended_thread_are_the_next_ones) {
  operation_pool pool;
  implicit_states states(pool);
  implicit_state& first = states.borrow();
  implicit_state& second = states.borrow();
  EXPECT_NE(&first, &second);
  states.give_back(second);
  EXPECT_EQ(&states.borrow(), &second);
  EXPECT_EQ(states.count(), 2u);
}

TEST(implicit_states, with_something_under_way_are_nobodys) {
  operation_pool pool;
  implicit_states states(pool);
  implicit_state& ended = states.borrow();
  operation* const late = ended.record(implicit::put);
  late->add_piece();
  states.give_back(ended);
  implicit_state& next = states.borrow();
  EXPECT_NE(&next, &ended);
  EXPECT_TRUE(next.complete(implicit::put));
  late->end_piece();
  EXPECT_EQ(&states.borrow(), &ended) << "a reply has counted it down meanwhile";
}

TEST(implicit_states, lose_the_region_that_a_thread_has_left_open) {
  operation_pool pool;
  implicit_states states(pool);
  implicit_state& ended = states.borrow();
  ended.begin_region();
  operation* const inside = ended.record(implicit::get);
  inside->add_piece();
  states.give_back(ended);
  EXPECT_NE(&states.borrow(), &ended);
  inside->end_piece();
  implicit_state& next = states.borrow();
  EXPECT_EQ(&next, &ended);
  EXPECT_FALSE(next.in_region());
  EXPECT_EQ(pool.take(), inside) << "its record is free again";
}

// The sanitizers take a millisecond to start a thread.
#ifdef ATOLL_SANITIZED
constexpr int threads = 1'000;
#else
constexpr int threads = 70'000;  // more than 16 bits count
#endif

TEST(implicit_states, are_as_many_as_threads_at_one_time) {
  constexpr int at_once = 4;
  support::run_job(
      1,
      [](runtime& job) {
        auto* const words = static_cast<std::uint64_t*>(job.heap().allocate(at_once * 8));
        const auto old_totals = trace::read();
        for (int turn = 0; turn < threads / at_once; ++turn) {
          std::vector<std::jthread> some;
          for (int i = 0; i < at_once; ++i)
            some.emplace_back([&job, words, i] {
              put_value(job.primordial(), 0, words + i, std::uint64_t{1});
              job.wait_implicit(true, true);
            });
        }
        const auto new_totals = trace::read();
        const auto puts = static_cast<std::size_t>(trace::counter::puts);
        EXPECT_EQ(new_totals[puts] - old_totals[puts], std::uint64_t{threads})
            << "counters stay exact";
        EXPECT_LE(layer_access::implicit_states_kept(job), std::size_t{at_once} + 1);
      },
      {"ATOLL_COUNTERS=1"}, thread_mode::any);
}

TEST(implicit_states, of_a_thread_that_outlives_its_runtimes) {
  std::thread worker([] {
    for (int turn = 0; turn < 2; ++turn) {
      support::thread_rendezvous peers(1);
      runtime job({.configuration = support::settings_of({}),
                   .boot = std::make_unique<support::thread_bootstrap>(peers, 0)});
      job.wait_implicit(true, true);
      EXPECT_EQ(layer_access::implicit_states_kept(job), 1u);
    }
  });
  worker.join();
}

}  // namespace
}  // namespace atl
