// SPDX-License-Identifier: BSD-3-Clause
//
// A continuation runs once, in progress, with the status of its operation, whether it is attached
// before, after or while the last piece ends.
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/progress/continuation_list.hpp>

#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <tests/support/addresses.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

namespace atl {
namespace {

struct record_of_calls {
  std::atomic<int> calls = 0;
  operation_status last = operation_status::done;

  continuation then() noexcept {
    return {.run =
                [](void* context, operation_status status) noexcept {
                  auto& self = *static_cast<record_of_calls*>(context);
                  self.last = status;
                  self.calls.fetch_add(1);
                },
            .context = this};
  }
};

event operation_of(runtime& job, unsigned pieces) {
  operation* const record = layer_access::operations(job).take();
  for (unsigned piece = 0; piece < pieces; ++piece) record->add_piece();
  return event(record);
}

// A barrier is completed by an attachment, which the continuation must not hold back.
TEST(continuation, may_wait_for_a_barrier) {
  support::run_job(2, [](runtime& job) {
    bool has_met = false;
    struct context {
      runtime& job;
      bool& has_met;
    } both{job, has_met};
    event done = operation_of(job, 1);
    operation& record = *done.record();
    const continuation meet{.run =
                                [](void* with, operation_status) noexcept {
                                  auto& [owner, met] = *static_cast<context*>(with);
                                  event all = owner.world().start_barrier();
                                  owner.wait(all);
                                  met = true;
                                },
                            .context = &both};
    ASSERT_TRUE(job.when_complete(done, meet));
    record.end_piece();
    job.wait_until([&] { return has_met; });
    job.world().barrier();
  });
}

TEST(continuation, runs_in_the_progress_after_the_last_piece) {
  support::run_job(1, [](runtime& job) {
    record_of_calls seen;
    event done = operation_of(job, 2);
    operation& record = *done.record();
    ASSERT_TRUE(job.when_complete(done, seen.then()));
    EXPECT_TRUE(done.empty());
    record.end_piece();
    job.progress();
    EXPECT_EQ(seen.calls, 0);
    record.end_piece();
    EXPECT_EQ(seen.calls, 0) << "not where the piece ends";
    job.progress();
    EXPECT_EQ(seen.calls, 1);
    job.progress();
    EXPECT_EQ(seen.calls, 1);
  });
}

TEST(continuation, of_a_complete_operation_is_not_attached) {
  support::run_job(1, [](runtime& job) {
    record_of_calls seen;
    event empty;
    EXPECT_FALSE(job.when_complete(empty, seen.then()));
    event done = operation_of(job, 1);
    done.record()->end_piece();
    EXPECT_FALSE(job.when_complete(done, seen.then()));
    EXPECT_TRUE(done.empty());
    job.progress();
    EXPECT_EQ(seen.calls, 0);
  });
}

TEST(continuation, is_told_that_a_piece_has_lost_its_peer) {
  support::run_job(1, [](runtime& job) {
    record_of_calls seen;
    event done = operation_of(job, 3);
    operation& record = *done.record();
    ASSERT_TRUE(job.when_complete(done, seen.then()));
    record.end_piece(operation_status::done);
    record.end_piece(operation_status::peer_lost);
    record.end_piece(operation_status::done);
    job.progress();
    EXPECT_EQ(seen.last, operation_status::peer_lost);
    // The record is used again, and knows nothing of that.
    record_of_calls again;
    event next = operation_of(job, 1);
    EXPECT_EQ(next.record(), &record);
    ASSERT_TRUE(job.when_complete(next, again.then()));
    record.end_piece();
    job.progress();
    EXPECT_EQ(again.last, operation_status::done);
  });
}

TEST(continuation, runs_once_when_it_is_attached_while_the_last_piece_ends) {
  support::run_job(1, [](runtime& job) {
    constexpr int rounds = 5'000;
    std::atomic<operation*> ending = nullptr;
    std::atomic<bool> stop = false;
    std::jthread other([&] {
      while (!stop.load()) {
        if (operation* const record = ending.exchange(nullptr)) record->end_piece();
      }
    });
    int attached = 0;
    record_of_calls seen;
    for (int round = 0; round < rounds; ++round) {
      event done = operation_of(job, 1);
      ending.store(done.record());
      if (job.when_complete(done, seen.then())) {
        ++attached;
        job.wait_until([&] { return seen.calls == attached; });
      }
    }
    stop = true;
    EXPECT_EQ(seen.calls, attached);
  });
}

TEST(continuation, of_puts_by_messages_all_run) {
  support::run_job(2,
                   [](runtime& job) {
                     constexpr int puts = 500;
                     auto* const local = static_cast<int*>(job.heap().allocate(puts * sizeof(int)));
                     const rank_id peer = 1 - job.rank();
                     int* const remote = support::exchange_addresses(job, local)[peer];
                     record_of_calls seen;
                     int expected = 0;
                     for (int i = 0; i < puts; ++i) {
                       event done;
                       put_nb(job.heaps(), peer, remote + i, &i, sizeof i, done);
                       expected += job.when_complete(done, seen.then());
                     }
                     job.wait_until([&] { return seen.calls == expected; });
                     job.world().barrier();
                     for (int i = 0; i < puts; ++i) EXPECT_EQ(local[i], i);
                     job.world().barrier();
                     job.heap().free(local);
                   },
                   {"ATOLL_RMA_PATH=am"});
}

}  // namespace
}  // namespace atl
