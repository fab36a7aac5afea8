// SPDX-License-Identifier: BSD-3-Clause
//
// How teams of all shapes lie on hosts, against counting by hand.
#include <atoll/core/team/team_hosts.hpp>

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(team_hosts, a_team_on_one_host_has_all_members_there) {
  const rank_set members = rank_set::progression(0, 1, 5);
  const job_hosts job(5, {}, 8);
  const team_hosts hosts(members, 3, job);
  EXPECT_TRUE(hosts.one_host());
  EXPECT_EQ(hosts.local_count(), 5u);
  EXPECT_EQ(hosts.local_index(), 3u);
  EXPECT_EQ(hosts.local(4), 4u);
  EXPECT_EQ(hosts.leader(0), 0u);
  EXPECT_FALSE(hosts.leads());
}

TEST(team_hosts, hosts_are_numbered_as_members_first_meet_them) {
  const std::vector<rank_id> ranks{5, 0, 4, 2, 1, 7};  // hosts of two: 2 0 2 1 0 3
  const rank_set members(ranks);
  const job_hosts job(8, {}, 2);
  for (rank_id self = 0; self < members.size(); ++self) {
    const team_hosts hosts(members, self, job);
    EXPECT_EQ(hosts.count(), 4u);
    const std::vector<rank_id> host_of{0, 1, 0, 2, 1, 3};
    for (rank_id member = 0; member < members.size(); ++member) {
      EXPECT_EQ(hosts.host_of(member), host_of[member]);
      const bool is_local = host_of[member] == host_of[self];
      EXPECT_EQ(hosts.local_index_of(member) != no_rank, is_local);
    }
    EXPECT_EQ(hosts.own_host(), host_of[self]);
    EXPECT_FALSE(hosts.consecutive());
    EXPECT_EQ(hosts.local(hosts.local_index()), self);
    EXPECT_EQ(hosts.leader(0), 0u);
    EXPECT_EQ(hosts.leader(1), 1u);
    EXPECT_EQ(hosts.leader(2), 3u);
    EXPECT_EQ(hosts.leader(3), 5u);
    EXPECT_EQ(hosts.leads(), hosts.leader(hosts.own_host()) == self);
  }
}

}  // namespace
}  // namespace atl
