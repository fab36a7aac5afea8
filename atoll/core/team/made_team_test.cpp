// SPDX-License-Identifier: BSD-3-Clause
//
// Teams made by their members alone, of a block that one of them gives, without the collectives
// that make teams in programs: over the members' shared memory, and over messages when the leader
// had no memory for a block.
#include <atoll/core/team/team.hpp>

#include <atoll/base/error.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <string>

namespace atl {
namespace {

constexpr rank_id job_size = 5;
constexpr std::array<rank_id, 3> members{4, 1, 2};  // by member, not in the job's order

/// The threads of a job here pass on what a program's members would tell each other by messages.
struct offered_block {
  std::atomic<bool> is_made = false;
  std::uint64_t offset = 0;  // 0: no memory
};

class made_team : public testing::TestWithParam<bool> {
 public:
  /// Runs `body` at each member with its team, which all members then leave.
  void run(const std::function<void(team&)>& body) {
    offered_block offered;
    support::run_job(job_size, [&](runtime& job) {
      if (std::ranges::find(members, job.rank()) != members.end()) as_member(job, offered, body);
      job.world().barrier();
    });
  }

 private:
  static void as_member(runtime& job, offered_block& offered,
                        const std::function<void(team&)>& body) {
    const rank_id leader = members[0];
    if (job.rank() == leader) {
      if (GetParam()) offered.offset = make_team_block(job, members.size());
      offered.is_made = true;
    }
    job.wait_until([&] { return offered.is_made.load(); });
    team_block* const block = find_team_block(job, leader, offered.offset);
    {
      team made(job, {.id = 77, .members = rank_set(members)});
      made.open(block);
      body(made);
      made.barrier();
    }
    if (block == nullptr) return;
    block->departed.fetch_add(1);
    if (job.rank() != leader) return;
    job.wait_until([&] { return block->departed.load() == members.size(); });
    layer_access::internal_heap(job).free(block);
  }
};

TEST_P(made_team, numbers_its_members_in_the_order_given) {
  run([](team& made) {
    EXPECT_EQ(made.id(), 77u);
    ASSERT_EQ(made.size(), members.size());
    EXPECT_EQ(members[made.rank()], made.owner().rank());
    for (rank_id i = 0; i < made.size(); ++i) {
      EXPECT_EQ(made.job_rank(i), members[i]);
      EXPECT_EQ(made.member(members[i]), i);
    }
    EXPECT_EQ(made.member(0), no_rank);
    EXPECT_EQ(made.hosts().count(), 1u);
  });
}

TEST_P(made_team, lets_nobody_leave_a_barrier_before_all_members_have_come) {
  std::atomic<unsigned> arrivals = 0;
  run([&](team& made) {
    for (unsigned round = 1; round <= 50; ++round) {
      arrivals.fetch_add(1);
      ASSERT_EQ(made.barrier(), operation_status::done);
      ASSERT_GE(arrivals.load(), round * members.size());
    }
  });
}

TEST_P(made_team, ends_barriers_that_were_started_in_their_order) {
  run([](team& made) {
    runtime& job = made.owner();
    event first = made.start_barrier();
    event second = made.start_barrier();
    EXPECT_EQ(job.wait(second), operation_status::done);
    EXPECT_TRUE(job.test(first));
  });
}

TEST_P(made_team, combines_the_names_of_its_named_barrier) {
  run([](team& made) {
    const auto result_of = [&](barrier_tag own) {
      made.arrive_named(own);
      made.owner().wait_until([&] { return made.test_named(); });
      return made.named_result();
    };
    const barrier_tag one = made.rank() == 1 ? barrier_tag::named(9) : barrier_tag::anonymous();
    EXPECT_EQ(result_of(one), barrier_tag::named(9));
    EXPECT_TRUE(result_of(barrier_tag::named(made.rank())).is_mismatch());
  });
}

TEST(team_of_other_ranks, is_refused_by_name) {
  support::run_job(2, [](runtime& job) {
    const rank_id other = 1 - job.rank();
    try {
      const team refused(job, {.id = 78, .members = rank_set{other}});
      ADD_FAILURE() << "a team without the rank that makes it";
    } catch (const error& refusal) {
      const std::string message = refusal.what();
      EXPECT_NE(message.find("a team of 1 ranks"), std::string::npos) << message;
      EXPECT_NE(message.find("is not among them"), std::string::npos) << message;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(team, made_team, testing::Bool(), [](const auto& each) {
  return each.param ? "with_a_block" : "over_messages";
});

}  // namespace
}  // namespace atl
