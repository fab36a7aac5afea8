// SPDX-License-Identifier: BSD-3-Clause
//
// Hosts and neighbourhoods of jobs of all shapes, against what bootstrap::hosts() says by rank.
#include <atoll/core/job/job_hosts.hpp>

#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(job_hosts, without_a_word_of_hosts_there_is_one) {
  const job_hosts job(5, {}, 0);
  EXPECT_EQ(job.count(), 1u);
  EXPECT_EQ(job.neighbourhoods(), 1u);
  EXPECT_EQ(job.host_of(4), 0u);
  EXPECT_EQ(job.ranks_of(0).count, 5u);
}

TEST(job_hosts, a_neighbourhood_never_crosses_a_host) {
  const std::vector<std::uint32_t> host_of_rank{0, 0, 0, 1, 2, 2, 2, 2};
  const job_hosts job(8, host_of_rank, 2);
  EXPECT_EQ(job.count(), 3u);
  EXPECT_EQ(job.neighbourhoods(), 5u);  // 0 1 | 2 | 3 | 4 5 | 6 7
  const std::vector<rank_id> wanted{0, 0, 1, 2, 3, 3, 4, 4};
  for (rank_id rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(job.host_of(rank), host_of_rank[rank]);
    EXPECT_EQ(job.neighbourhood_of(rank), wanted[rank]);
    for (rank_id number = 0; number < job.neighbourhoods(); ++number)
      EXPECT_EQ(job.neighbourhood(number).contains(rank), number == wanted[rank]);
    for (rank_id host = 0; host < job.count(); ++host)
      EXPECT_EQ(job.ranks_of(host).contains(rank), host == host_of_rank[rank]);
  }
}

TEST(job_hosts, a_width_beyond_the_host_is_the_host) {
  const std::vector<std::uint32_t> host_of_rank{0, 0, 0, 1};
  const job_hosts job(4, host_of_rank, 100);
  EXPECT_EQ(job.neighbourhoods(), 2u);
  EXPECT_EQ(job.neighbourhood(0).count, 3u);
}

TEST(job_hosts, ranks_dealt_out_in_turn_are_refused_with_a_remedy) {
  const std::vector<std::uint32_t> host_of_rank{0, 1, 0, 1};
  try {
    const job_hosts job(4, host_of_rank, 0);
    FAIL() << "not refused";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("--distribution=block"), std::string::npos);
  }
}

}  // namespace
}  // namespace atl
