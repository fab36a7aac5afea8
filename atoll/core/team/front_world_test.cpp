// SPDX-License-Identifier: BSD-3-Clause
//
// Two fronts of one runtime: their endpoints, and their teams of all ranks. Ranks ask for them in
// different orders, and one rank never asks for those of the second front.
#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/team/team.hpp>

#include <atoll/base/error.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <tuple>
#include <vector>

namespace atl {
namespace {

constexpr front_declaration early{.name = "test: early", .endpoints = 3};
constexpr front_declaration late{.name = "test: late", .endpoints = 1};
constexpr front_declaration undeclared{.name = "test: undeclared", .endpoints = 1};
ATOLL_DECLARE_FRONT(early);
ATOLL_DECLARE_FRONT(late);

struct received {
  std::atomic<int> early = 0, late = 0;
};

void count(void* context, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {
  ++*static_cast<std::atomic<int>*>(context);
}

/// Both fronts use the same handler index.
constexpr handler_id index_of_handler = 1;

void open_endpoint(runtime& job, const front_declaration& front, std::atomic<int>& counter) {
  endpoint& own = layer_access::endpoint_of(job, front);
  ASSERT_TRUE(own.handlers().set(index_of_handler, {.run = count, .context = &counter}));
}

class front_world : public testing::TestWithParam<std::tuple<rank_id, std::string>> {
 protected:
  void run(const std::function<void(runtime&)>& body) {
    std::vector<std::string> variables;
    if (!std::get<1>(GetParam()).empty()) variables.push_back(std::get<1>(GetParam()));
    support::run_job(std::get<0>(GetParam()), body, variables);
  }
};

TEST_P(front_world, a_message_comes_to_the_front_that_has_sent_it) {
  run([](runtime& job) {
    received arrived;
    if (job.rank() % 2 == 0) open_endpoint(job, early, arrived.early);
    open_endpoint(job, late, arrived.late);
    if (job.rank() % 2 != 0) open_endpoint(job, early, arrived.early);
    job.world().barrier();
    const rank_id next = (job.rank() + 1) % job.size();
    layer_access::endpoint_of(job, early).request({.target = next, .handler = index_of_handler});
    for (int i = 0; i < 2; ++i)
      layer_access::endpoint_of(job, late).request({.target = next, .handler = index_of_handler});
    job.wait_until([&] { return arrived.early == 1 && arrived.late == 2; });
    job.world().barrier();
    EXPECT_EQ(arrived.early, 1);
    EXPECT_EQ(arrived.late, 2);
    EXPECT_NE(layer_access::endpoint_of(job, early).index(),
              layer_access::endpoint_of(job, early, 2).index());
    EXPECT_THROW(layer_access::endpoint_of(job, late, 1), error);
    EXPECT_THROW(layer_access::endpoint_of(job, undeclared), error);
  });
}

// Barriers of the program, and of two fronts, under way at once and begun in different orders.
TEST_P(front_world, barriers_of_fronts_and_of_the_program_do_not_meet) {
  run([](runtime& job) {
    const auto team_of = [&](unsigned which) -> team& {
      if (which % 3 == 0) return layer_access::world_of(job, early);
      return which % 3 == 1 ? layer_access::world_of(job, late) : job.world();
    };
    for (unsigned round = 0; round < 20; ++round) {
      event done[3];
      const unsigned first = job.rank() + round;
      for (unsigned i = 0; i < 3; ++i) done[(first + i) % 3] = team_of(first + i).start_barrier();
      for (event& each : done) job.wait(each);
    }
    EXPECT_EQ(&team_of(0), &layer_access::world_of(job, early));
    EXPECT_EQ(team_of(0).size(), job.size());
    EXPECT_EQ(team_of(1).rank(), job.rank());
    EXPECT_THROW(layer_access::world_of(job, undeclared), error);
  });
}

TEST_P(front_world, a_rank_without_a_front_leaves_the_others_fronts_as_they_are) {
  run([](runtime& job) {
    if (job.rank() != 0) {
      // It stays under way for ever.
      event never = layer_access::world_of(job, late).start_barrier();
      EXPECT_TRUE(job.size() == 1 || !job.test(never));
      (void)never.release();
    }
    for (int i = 0; i < 10; ++i) layer_access::world_of(job, early).barrier();
    job.world().barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(ranks, front_world,
                         testing::Combine(testing::Values(1, 2, 3),
                                          testing::Values(std::string(),
                                                          std::string("ATOLL_NEIGHBOURHOOD=2"),
                                                          std::string("ATOLL_RMA_PATH=am"))),
                         [](const auto& run) {
                           const std::string& setting = std::get<1>(run.param);
                           const char* const way = setting.empty()         ? "_ranks"
                                                   : setting.back() == 'm' ? "_ranks_by_messages"
                                                                           : "_ranks_apart";
                           return std::to_string(std::get<0>(run.param)) + way;
                         });

}  // namespace
}  // namespace atl
