// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes that a rank keeps for each rank of the job that it never talks to, in jobs of threads
// on one host. The limit is 100 bytes, so that a job of 100,000 ranks takes 10 MB of a rank and not
// a GB; the core alone must need less on a host, so that fronts have room. Also the messages of a
// barrier between hosts. tests/count/memory_test.py measures programs of fronts, and pages instead
// of blocks; tests/count/many_hosts.cpp measures a rank of 100,000 over a network.
#include <atoll/core/job/runtime.hpp>
#include <atoll/trace/counters.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <memory>

namespace atl {
namespace {

constexpr double core_bytes_per_neighbour_max = 48;

// Bytes that the C library has given out. Some checkers put an allocator of their own in its place.
double allocated_bytes() {
  const auto given = ::mallinfo2();
  return static_cast<double>(given.uordblks) + static_cast<double>(given.hblkhd);
}

// Bytes of one rank's heap in a job of `ranks` ranks that have met at a barrier and nothing else.
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

// Messages that a rank sends for one barrier over messages, as between hosts, in a job of `ranks`.
// The start sends none, and the end is a barrier, too.
double messages_of_a_barrier(rank_id ranks) {
  constexpr auto requests = static_cast<std::size_t>(trace::counter::requests);
  const auto before = trace::read()[requests];
  support::run_job(ranks, [](runtime& job) { job.world().barrier(); }, {"ATOLL_BARRIER=am"});
  return static_cast<double>(trace::read()[requests] - before) / ranks / 2;
}

TEST(scale, a_barrier_between_100000_hosts_is_17_messages_of_each) {
  if (!foreign_variable("ATOLL_RANK").empty()) GTEST_SKIP() << "its ranks are threads";
  const double few = messages_of_a_barrier(4), many = messages_of_a_barrier(64);
  const double for_each_doubling = (many - few) / std::log2(64 / 4);
  const double of_all = many + for_each_doubling * std::log2(100'000.0 / 64);
  std::printf("%.1f messages of each of 4 ranks, %.1f of 64, so %.1f of 100,000\n", few, many,
              of_all);
  EXPECT_GT(few, 0);
  EXPECT_LE(of_all, 17);
}

}  // namespace
}  // namespace atl
