// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers by messages in every radix: at numbers of ranks that are no powers of it, over one host
// and several, and with a radix that changes between two barriers while others are under way.
#include <atoll/core/team/team.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace atl {
namespace {

struct shape {
  rank_id ranks;
  const char* setting;  // that has barriers send messages
  rank_id messengers;   // that do
};

constexpr shape shapes[]{
    {1, "ATOLL_BARRIER=am", 1},       {2, "ATOLL_BARRIER=am", 2},
    {3, "ATOLL_BARRIER=am", 3},       {5, "ATOLL_BARRIER=am", 5},
    {8, "ATOLL_BARRIER=am", 8},       {13, "ATOLL_BARRIER=am", 13},
    {13, "ATOLL_NEIGHBOURHOOD=2", 7}, {7, "ATOLL_NEIGHBOURHOOD=3", 3},
    {3, "ATOLL_BARRIER=flags", 0},
};

class barrier_radix : public testing::TestWithParam<shape> {
 protected:
  void run(const std::function<void(runtime&)>& body, std::vector<std::string> more = {}) {
    more.emplace_back(GetParam().setting);
    support::run_job(GetParam().ranks, body, more);
  }
};

/// Nobody leaves a barrier before all have come; counted in the memory that all threads share.
void pass(runtime& job, std::atomic<std::uint64_t>& arrivals, std::uint64_t round) {
  arrivals.fetch_add(1);
  ASSERT_EQ(job.world().barrier(), operation_status::done);
  ASSERT_GE(arrivals.load(), round * job.size());
}

TEST_P(barrier_radix, of_a_setting_holds_all_back_until_the_last_has_come) {
  for (const unsigned radix : {2u, 3u, 4u, 5u, 8u, 16u}) {
    std::atomic<std::uint64_t> arrivals = 0;
    run(
        [&](runtime& job) {
          for (std::uint64_t round = 1; round <= 5; ++round) pass(job, arrivals, round);
          job.world().arrive_named(barrier_tag::named(job.rank() == 0 ? 7 : 9));
          job.wait_until([&] { return job.world().test_named(); });
          EXPECT_EQ(job.world().named_result().is_mismatch(), job.size() > 1);
        },
        {text("ATOLL_BARRIER_RADIX=", radix)});
  }
}

TEST(barrier_radix_setting, of_one_is_refused) {
  EXPECT_DEATH(support::run_job(1, [](runtime&) {}, {"ATOLL_BARRIER_RADIX=1"}),
               "\"1\" does not fit this setting; give one of auto, 2, 3");
}

TEST_P(barrier_radix, changes_behind_the_barriers_that_are_under_way) {
  std::atomic<std::uint64_t> arrivals = 0;
  std::atomic<std::uint64_t> late = 0;
  run([&](runtime& job) {
    team& world = job.world();
    const rank_id slow = job.size() - 1;
    std::uint64_t round = 0;
    for (const unsigned radix : {3u, 16u, 2u, 5u, 4u, 8u}) {
      pass(job, arrivals, ++round);
      // The slow rank begins none of these before the others have changed the radix, so all of
      // theirs are still in their queue.
      while (job.rank() == slow && late.load() != round * slow) {  // no bell rings for it
        job.progress();
        std::this_thread::yield();
      }
      std::vector<event> begun;
      for (int i = 0; i < 3; ++i) begun.push_back(world.start_barrier());
      world.arrive_named(barrier_tag::named(radix));
      world.use_barrier_radix(radix);
      begun.push_back(world.start_barrier());
      if (job.rank() != slow) late.fetch_add(1);
      for (event& each : begun) EXPECT_EQ(job.wait(each), operation_status::done);
      job.wait_until([&] { return world.test_named(); });
      EXPECT_EQ(world.named_result(), barrier_tag::named(radix));
    }
    pass(job, arrivals, ++round);
  });
}

// A thread may want it while another one of its rank is in a barrier, so members ask for it between
// different ones.
TEST_P(barrier_radix, is_one_for_all_however_early_or_late_a_member_asks_for_it) {
  std::atomic<std::uint64_t> arrivals = 0;
  run([&](runtime& job) {
    std::uint64_t round = 0;
    for (const unsigned radix : {3u, 16u, 8u}) {
      for (rank_id turn = 0; turn < job.size(); ++turn) {
        if (turn == job.rank()) job.world().use_barrier_radix(radix);
        pass(job, arrivals, ++round);
      }
    }
  });
}

TEST_P(barrier_radix, is_wanted_by_a_thread_while_another_is_in_barriers) {
  std::atomic<std::uint64_t> arrivals = 0;
  run([&](runtime& job) {
    std::atomic<bool> ended = false;
    std::thread asking([&] {
      for (unsigned i = job.rank(); !ended.load(); ++i) {
        job.world().use_barrier_radix(2 + i % 15);
        std::this_thread::yield();
      }
    });
    for (std::uint64_t round = 1; round <= 50; ++round) pass(job, arrivals, round);
    ended = true;
    asking.join();
  });
}

TEST_P(barrier_radix, is_for_so_many_messengers) {
  run([&](runtime& job) { EXPECT_EQ(barrier_messengers(job.world()), GetParam().messengers); });
}

INSTANTIATE_TEST_SUITE_P(every, barrier_radix, testing::ValuesIn(shapes), [](const auto& each) {
  return text("n", each.param.ranks, "_of_", each.param.messengers);
});

}  // namespace
}  // namespace atl
