// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes that a rank keeps for each rank of the job that it never talks to: measured for jobs of
// threads on one host, and computed for a job of 100,000 ranks over a network from the tables that
// there are. The limit is 100 bytes, so that such a job takes 10 MB of a rank and not a GB. Of the
// core alone less is needed on a host, so that fronts have room. tests/count/memory_test.py
// measures programs of fronts, and pages instead of blocks.
#include <atoll/core/job/runtime.hpp>
#include <atoll/transport/contact_table.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>

namespace atl {
namespace {

constexpr double bytes_per_peer_max = 100;
constexpr double core_bytes_per_neighbour_max = 48;

// Bytes that the C library has given out. Some checkers put an allocator of their own in its place.
double allocated_bytes() {
  const auto given = ::mallinfo2();
  return static_cast<double>(given.uordblks) + static_cast<double>(given.hblkhd);
}

// Bytes of one rank's heap in a job of so many ranks that have met at a barrier and nothing else.
double bytes_of_a_rank(rank_id ranks) {
  const double start = allocated_bytes();
  std::atomic<double> most = 0;
  support::run_job(ranks, [&](runtime& job) {
    job.world().barrier();
    if (job.rank() == 0) most = allocated_bytes() - start;
    job.world().barrier();
  });
  return most / ranks;
}

TEST(scale, a_peer_that_is_never_talked_to_costs_few_bytes_on_a_host) {
  ::mallopt(M_ARENA_MAX, 1);  // mallinfo2 knows of the first one only
  auto probe = std::make_unique<char[]>(1 << 20);
  if (allocated_bytes() < 1 << 20) GTEST_SKIP() << "another allocator than the C library's";
  probe.reset();
  bytes_of_a_rank(32);  // what is made once for the process
  const double few = bytes_of_a_rank(32), many = bytes_of_a_rank(96);
  const double per_peer = (many - few) / (96 - 32);
  std::printf("%.0f bytes per peer; a rank has %.0f in a job of 32 and %.0f in one of 96\n",
              per_peer, few, many);
  EXPECT_LE(per_peer, core_bytes_per_neighbour_max);
}

TEST(scale, a_job_of_100000_ranks_over_a_network_takes_10_megabytes_of_a_rank) {
  constexpr double ranks = 100'000;
  // The tables that have an entry per rank of the job: routes and names of the heaps, the transport
  // of each rank, its address and kind of atomics, its contact, and the two lists of waiting ones.
  constexpr double per_peer = sizeof(route) + sizeof(transport::remote_memory) +
                              sizeof(std::uint8_t) + sizeof(std::uint64_t) + sizeof(std::uint8_t) +
                              transport::contact_table<int>::bytes_per_rank + 2 * sizeof(rank_id);
  EXPECT_LE(per_peer, bytes_per_peer_max);
  EXPECT_LE(per_peer * ranks, 10e6);
}

}  // namespace
}  // namespace atl
