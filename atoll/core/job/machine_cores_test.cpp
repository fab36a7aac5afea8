// SPDX-License-Identifier: BSD-3-Clause
//
// Counting the ranks and cores of a machine that is several hosts of a job.
#include <atoll/core/job/machine_cores.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace atl {
namespace {

constexpr std::uint32_t no_quota = std::numeric_limits<std::uint32_t>::max();

core_claim claim(std::uint64_t machine, std::uint64_t mask, std::uint32_t allowed,
                 std::uint32_t quota = no_quota) {
  return {.machine = machine, .mask = mask, .allowed = allowed, .quota = quota, .online = 8};
}

TEST(machine_cores, of_hosts_that_are_one_machine_are_counted_once) {
  const core_claim common = claim(1, 10, 8);
  machine_cores machine(common);
  for (rank_id rank = 0; rank < 12; ++rank) machine.add(rank / 6, common);
  EXPECT_EQ(machine.hosts(), 2u);
  EXPECT_EQ(machine.ranks(), 12u);
  EXPECT_EQ(machine.cores(), 8u);
}

TEST(machine_cores, of_bound_ranks_add_up) {
  machine_cores machine(claim(1, 1, 1));
  for (rank_id rank = 0; rank < 4; ++rank) machine.add(rank / 2, claim(1, rank, 1));
  EXPECT_EQ(machine.ranks(), 4u);
  EXPECT_EQ(machine.cores(), 4u);
  for (rank_id rank = 4; rank < 30; ++rank) machine.add(rank / 2, claim(1, rank, 1));
  EXPECT_EQ(machine.cores(), 8u) << "there are no more";
}

TEST(machine_cores, are_limited_by_the_quotas_of_all_hosts) {
  machine_cores machine(claim(1, 1, 8, 2));
  machine.add(0, claim(1, 1, 8, 2));
  machine.add(0, claim(1, 1, 8, 3));
  machine.add(1, claim(1, 1, 8, 3));
  EXPECT_EQ(machine.cores(), 5u);
}

TEST(machine_cores, of_other_machines_and_of_unknown_ones_do_not_count) {
  machine_cores machine(claim(1, 1, 8));
  machine.add(0, claim(1, 1, 8));
  machine.add(1, claim(2, 1, 8));
  EXPECT_EQ(machine.hosts(), 1u);
  EXPECT_EQ(machine.ranks(), 1u);
  machine_cores unknown(claim(0, 1, 8));
  unknown.add(0, claim(0, 1, 8));
  EXPECT_EQ(unknown.ranks(), 0u);
  EXPECT_EQ(unknown.cores(), 1u);
}

TEST(machine_cores, are_claimed_alike_by_ranks_of_one_machine) {
  const core_claim own = claim_cores();
  EXPECT_GE(own.allowed, 1u);
  EXPECT_GE(own.quota, 1u);
  machine_cores machine(own);
  machine.add(0, own);
  machine.add(1, claim_cores());
  if (own.machine != 0) {
    EXPECT_EQ(machine.ranks(), 2u);
  }
  EXPECT_LE(machine.cores(), own.online);
  EXPECT_EQ(claim_cores("/does/not/exist").machine, 0u);
}

}  // namespace
}  // namespace atl
