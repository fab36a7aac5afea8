// SPDX-License-Identifier: BSD-3-Clause
//
// Teams that their members make alone, while the other ranks do something else or nothing.
#include <atoll/coll/team_creation.hpp>

#include <atoll/base/error.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace atl::coll {
namespace {

// The job's ranks of all members, gathered over the team itself.
std::vector<rank_id> gathered(team& members) {
  std::vector<rank_id> all(members.size());
  const rank_id own = members.owner().rank();
  allgather(members, all.data(), &own, sizeof own);
  return all;
}

void make_and_use(runtime& job, const rank_set& members) {
  std::unique_ptr<team> made = create_team_alone(job, members);
  ASSERT_EQ(made->size(), members.size());
  const std::vector<rank_id> all = gathered(*made);
  for (rank_id member = 0; member < members.size(); ++member)
    EXPECT_EQ(all[member], members[member]);
  made->barrier();
  destroy_team(std::move(made));
}

class teams_alone : public testing::TestWithParam<const char*> {};

TEST_P(teams_alone, of_every_size_and_stride_need_no_other_rank) {
  constexpr rank_id ranks = 5;
  support::run_job(ranks,
                   [](runtime& job) {
                     open(job);
                     for (rank_id first = 0; first < ranks; ++first) {
                       for (const std::int64_t stride : {1, 2, -1, -2}) {
                         for (rank_id count = 1; count <= ranks; ++count) {
                           const std::int64_t last = first + stride * (count - 1);
                           if (last < 0 || last >= ranks) break;
                           const rank_set members = rank_set::progression(first, stride, count);
                           if (members.find(job.rank()) != no_rank) make_and_use(job, members);
                         }
                       }
                     }
                   },
                   {GetParam()});
}

TEST_P(teams_alone, may_be_made_again_and_again_by_members_of_different_speed) {
  support::run_job(3,
                   [](runtime& job) {
                     open(job);
                     if (job.rank() == 1) return;
                     for (int round = 0; round < 20; ++round)
                       make_and_use(job, rank_set::progression(2, -2, 2));
                   },
                   {GetParam()});
}

TEST_P(teams_alone, leave_nothing_behind_whatever_their_lists) {
  constexpr rank_id ranks = 6;
  support::run_job(ranks,
                   [](runtime& job) {
                     engine& collectives = open(job);
                     const std::size_t known = collectives.teams_known();
                     const std::size_t used = layer_access::internal_heap(job).usage().used_bytes;
                     for (unsigned list = 1; list < 1u << ranks; ++list) {
                       std::vector<rank_id> members;
                       for (rank_id rank = 0; rank < ranks; ++rank)
                         if ((list >> rank & 1) != 0) members.push_back(rank);
                       if ((list >> job.rank() & 1) != 0) make_and_use(job, rank_set(members));
                     }
                     EXPECT_EQ(collectives.teams_known(), known);
                     EXPECT_EQ(layer_access::internal_heap(job).usage().used_bytes, used);
                   },
                   {GetParam()});
}

std::string name_of(const testing::TestParamInfo<const char*>& tested) {
  static constexpr const char* names[] = {"shared_memory", "messages", "neighbourhoods_of_2"};
  return names[tested.index];
}

INSTANTIATE_TEST_SUITE_P(with, teams_alone,
                         testing::Values("ATOLL_RMA_PATH=direct", "ATOLL_RMA_PATH=am",
                                         "ATOLL_NEIGHBOURHOOD=2"),
                         name_of);

TEST(team_alone, refuse_a_caller_that_is_no_member) {
  support::run_job(2, [](runtime& job) {
    open(job);
    EXPECT_THROW(create_team_alone(job, rank_set::progression(1 - job.rank(), 1, 1)), error);
  });
}

TEST(team_alone, refuse_a_job_without_collectives) {
  support::run_job(1, [](runtime& job) {
    EXPECT_THROW(create_team_alone(job, rank_set::progression(0, 1, 1)), error);
  });
}

}  // namespace
}  // namespace atl::coll
