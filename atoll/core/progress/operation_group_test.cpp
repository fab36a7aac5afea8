// SPDX-License-Identifier: BSD-3-Clause
//
// A group of operations: what a thread starts in its scope counts there and nowhere else, a wait
// covers what other threads started, and it ends though others go on.
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/progress/operation_group.hpp>

#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <tests/support/addresses.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

namespace atl {
namespace {

TEST(operation_group, counts_in_itself_only_within_the_scope) {
  support::run_job(1, [](runtime& job) {
    operation_group outer(job), inner(job);
    implicit_state& thread = layer_access::implicit_operations(job);
    operation* const own = thread.record(implicit::put);
    {
      const counting_in first(job, outer);
      EXPECT_EQ(thread.record(implicit::get), &outer.current());
      {
        const counting_in second(job, inner);
        EXPECT_EQ(thread.record(implicit::put), &inner.current());
      }
      EXPECT_EQ(thread.record(implicit::atomic), &outer.current());
    }
    EXPECT_EQ(thread.record(implicit::put), own);
  });
}

TEST(operation_group, is_complete_when_its_last_piece_has_ended) {
  support::run_job(1, [](runtime& job) {
    operation_group group(job);
    EXPECT_TRUE(group.test());
    group.current().add_piece();
    EXPECT_FALSE(group.test());
    group.current().end_piece();
    EXPECT_TRUE(group.test());
  });
}

TEST(operation_group, a_test_gives_the_status_once) {
  support::run_job(1, [](runtime& job) {
    operation_group group(job);
    operation_status status = operation_status::done;
    group.current().add_piece();
    EXPECT_FALSE(group.test(status));
    group.current().end_piece(operation_status::peer_lost);
    EXPECT_TRUE(group.test(status));
    EXPECT_EQ(status, operation_status::peer_lost);
    EXPECT_TRUE(group.test(status));
    EXPECT_EQ(status, operation_status::done);
  });
}

TEST(operation_group, wait_ends_though_others_go_on_starting) {
  support::run_job(1, [](runtime& job) {
    operation_group group(job);
    operation& before = group.current();
    before.add_piece();
    std::atomic<bool> stop = false;
    std::jthread busy([&] {
      // There is always something under way that was started a moment ago.
      operation* last = &group.current();
      last->add_piece();
      before.end_piece();
      while (!stop.load()) {
        operation& next = group.current();
        next.add_piece();
        last->end_piece();
        layer_access::wake_own_threads(job);  // as the delivery of a message does
        last = &next;
      }
      last->end_piece();
    });
    for (int round = 0; round < 20; ++round) group.wait();
    stop = true;
  });
}

TEST(operation_group, wait_covers_puts_and_gets_by_messages) {
  support::run_job(
      2,
      [](runtime& job) {
        constexpr std::size_t words = 1000;
        auto* const local = static_cast<int*>(job.heap().allocate(words * sizeof(int)));
        for (std::size_t i = 0; i < words; ++i) local[i] = -1;
        const rank_id peer = 1 - job.rank();
        int* const remote = support::exchange_addresses(job, local)[peer];
        job.world().barrier();
        operation_group group(job);
        std::vector<int> back(words);
        {
          const counting_in scope(job, group);
          for (std::size_t i = 0; i < words; ++i) {
            const int value = static_cast<int>(i * 2 + job.rank());
            put_nbi(job.heaps(), peer, remote + i, &value, sizeof value);
          }
          EXPECT_TRUE(job.test_implicit(true, true, true)) << "nothing counts in the thread's own";
          group.wait();
          for (std::size_t i = 0; i < words; ++i)
            get_nbi(job.heaps(), &back[i], peer, remote + i, sizeof(int));
        }
        group.wait();
        for (std::size_t i = 0; i < words; ++i)
          ASSERT_EQ(back[i], static_cast<int>(i * 2 + job.rank()));
        job.world().barrier();
        job.heap().free(local);
      },
      {"ATOLL_RMA_PATH=am"});
}

}  // namespace
}  // namespace atl
