// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the launcher's knowledge of its ranks: joining, collectives, rounds, waits that cannot end.
#include <tools/run/rendezvous.hpp>

#include <gtest/gtest.h>

namespace atl::tools {
namespace {

using collective = rendezvous::collective;

void join_all(rendezvous& ranks) {
  for (rank_id rank = 0; rank < ranks.size(); ++rank)
    ASSERT_FALSE(ranks.join(rank, "1", 100 + static_cast<pid_t>(rank)));
}

bootstrap::wire::bytes blob_of(rank_id rank) {
  return {static_cast<std::byte>(rank), static_cast<std::byte>(rank + 1)};
}

TEST(rendezvous, an_exchange_completes_when_the_last_has_entered) {
  for (const rank_id size : {1u, 2u, 3u, 7u}) {
    rendezvous ranks(size);
    join_all(ranks);
    for (rank_id rank = size; rank-- > 0;) {
      EXPECT_EQ(ranks.complete(), collective::none);
      EXPECT_TRUE(ranks.enter(rank, collective::exchange, blob_of(rank)));
    }
    ASSERT_EQ(ranks.complete(), collective::exchange);
    EXPECT_FALSE(ranks.stuck());
    const auto blobs = ranks.pass();
    for (rank_id rank = 0; rank < size; ++rank) EXPECT_EQ(blobs[rank], blob_of(rank));
    EXPECT_EQ(ranks.complete(), collective::none);
  }
}

TEST(rendezvous, only_who_is_inside_and_not_waiting_can_enter) {
  rendezvous ranks(2);
  EXPECT_FALSE(ranks.enter(0, collective::fence, {}));
  join_all(ranks);
  EXPECT_TRUE(ranks.enter(0, collective::fence, {}));
  EXPECT_FALSE(ranks.enter(0, collective::fence, {}));
  ranks.leave(1);
  EXPECT_FALSE(ranks.enter(1, collective::fence, {}));
}

TEST(rendezvous, a_taken_rank_a_wrong_rank_and_another_version_are_refused) {
  rendezvous ranks(2);
  ASSERT_FALSE(ranks.join(0, "1", 55));
  EXPECT_NE(ranks.join(0, "1", 56)->cause.find("process 55"), std::string::npos);
  EXPECT_NE(ranks.join(2, "1", 57)->cause.find("only 2"), std::string::npos);
  const auto other = ranks.join(1, "2", 58);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->cause, "it uses Atoll 2, but rank 0 uses Atoll 1");
  EXPECT_FALSE(ranks.join(1, "1", 58));
}

TEST(rendezvous, ranks_that_have_left_may_meet_again) {
  rendezvous ranks(3);
  for (std::uint32_t round = 1; round < 4; ++round) {
    join_all(ranks);
    for (rank_id rank = 0; rank < 3; ++rank) ranks.enter(rank, collective::fence, {});
    EXPECT_EQ(ranks.complete(), collective::fence);
    EXPECT_FALSE(ranks.stuck());
    ranks.pass();
    for (rank_id rank = 0; rank < 3; ++rank) ranks.leave(rank);
    EXPECT_EQ(ranks.state_of(0).rounds, round);
  }
}

TEST(rendezvous, a_rank_ahead_by_a_round_is_waited_for_by_nobody_in_the_old_one) {
  rendezvous ranks(2);
  join_all(ranks);
  ranks.leave(0);
  ASSERT_FALSE(ranks.join(0, "1", 9));
  EXPECT_FALSE(ranks.stuck());
  ranks.enter(1, collective::fence, {});
  ranks.enter(0, collective::fence, {});
  EXPECT_EQ(ranks.complete(), collective::none);
  EXPECT_TRUE(ranks.stuck());
}

TEST(rendezvous, a_wait_ends_when_somebody_cannot_come) {
  rendezvous different(2);
  join_all(different);
  different.enter(0, collective::fence, {});
  EXPECT_FALSE(different.stuck());
  different.enter(1, collective::exchange, {});
  EXPECT_EQ(*different.stuck(),
            "rank 0 waits in a fence for all ranks, but rank 1 waits in an exchange");

  rendezvous ended(3);
  ASSERT_FALSE(ended.join(2, "1", 1));
  ended.process_ended(0);
  EXPECT_FALSE(ended.stuck());
  ended.enter(2, collective::fence, {});
  EXPECT_EQ(*ended.stuck(),
            "rank 2 waits in a fence for all ranks, but rank 0 has ended without joining");

  rendezvous left(2);
  join_all(left);
  left.enter(1, collective::fence, {});
  EXPECT_FALSE(left.stuck());
  left.leave(0);
  EXPECT_EQ(*left.stuck(), "rank 1 waits in a fence for all ranks, but rank 0 has left");
}

TEST(rendezvous, a_stop_waits_for_all_that_have_not_left) {
  rendezvous ranks(4);
  for (const rank_id rank : {0u, 1u, 2u}) ASSERT_FALSE(ranks.join(rank, "1", 1));
  EXPECT_TRUE(ranks.enter(0, collective::stop, {}));
  EXPECT_EQ(ranks.complete(), collective::none);
  ranks.leave(1);
  EXPECT_EQ(ranks.complete(), collective::none);
  ranks.process_ended(3);  // it has never joined
  EXPECT_EQ(ranks.complete(), collective::none);
  EXPECT_FALSE(ranks.stuck());
  EXPECT_TRUE(ranks.enter(2, collective::stop, {}));
  EXPECT_EQ(ranks.complete(), collective::stop);
  ranks.pass();
  EXPECT_EQ(ranks.complete(), collective::none);
  EXPECT_EQ(ranks.describe(0), "has stopped");

  EXPECT_FALSE(ranks.enter(0, collective::fence, {}));
  EXPECT_TRUE(ranks.enter(0, collective::stop, {}));  // a second time
  ranks.leave(2);
  EXPECT_EQ(ranks.complete(), collective::stop);
  ranks.pass();
  ranks.leave(0);
  EXPECT_FALSE(ranks.stuck());
}

TEST(rendezvous, nobody_waits_for_a_rank_that_has_stopped) {
  rendezvous ranks(3);
  join_all(ranks);
  ranks.enter(1, collective::stop, {});
  EXPECT_FALSE(ranks.stuck());
  ranks.enter(2, collective::fence, {});
  EXPECT_EQ(*ranks.stuck(), "rank 2 waits in a fence for all ranks, but rank 1 has stopped");
}

TEST(rendezvous, who_leaves_while_it_waits_waits_no_more) {
  rendezvous ranks(1);
  join_all(ranks);
  ranks.enter(0, collective::fence, {});
  ranks.leave(0);
  EXPECT_EQ(ranks.complete(), collective::none);
  EXPECT_FALSE(ranks.stuck());
}

TEST(rendezvous, a_failed_rank_is_missed_by_no_collective) {
  rendezvous ranks(3);
  join_all(ranks);
  ranks.enter(0, collective::exchange, blob_of(0));
  ranks.enter(1, collective::exchange, blob_of(1));
  ranks.fail(1);
  EXPECT_EQ(ranks.complete(), collective::none);
  EXPECT_FALSE(ranks.stuck());
  ranks.enter(2, collective::exchange, blob_of(2));
  ASSERT_EQ(ranks.complete(), collective::exchange);
  const auto blobs = ranks.pass();
  EXPECT_EQ(blobs[0], blob_of(0));
  EXPECT_TRUE(blobs[1].empty());
  EXPECT_EQ(blobs[2], blob_of(2));
  EXPECT_EQ(ranks.describe(1), "has failed");
}

TEST(rendezvous, after_a_failure_fences_and_stops_end_together) {
  rendezvous ranks(4);
  join_all(ranks);
  ranks.fail(3);
  ranks.enter(0, collective::fence, {});
  ranks.enter(1, collective::stop, {});
  EXPECT_EQ(ranks.complete(), collective::none);
  EXPECT_FALSE(ranks.stuck());
  ranks.enter(2, collective::stop, {});
  EXPECT_EQ(ranks.complete(), collective::fence);
  ranks.pass();
  ranks.leave(0);
  ranks.enter(1, collective::stop, {});
  ranks.enter(2, collective::stop, {});
  EXPECT_EQ(ranks.complete(), collective::stop);
}

}  // namespace
}  // namespace atl::tools
