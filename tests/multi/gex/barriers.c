/* SPDX-License-Identifier: BSD-3-Clause

   Barriers: no rank leaves before all have arrived; several at a time over the team; names that
   agree, that differ, and anonymous ones among them, in notify and in wait; the results.

       gex_barriers [ROUNDS] */
#include "client.h"

/* Each rank writes its round into the memory of all before a barrier and finds all rounds after it.
 */
static void nobody_leaves_early(int rounds) {
  int round;
  gex_Rank_t i;
  for (round = 1; round <= rounds; ++round) {
    for (i = 0; i < team_size; ++i) {
      gex_RMA_PutBlockingVal(my_team, i, memory_of(i) + 8 * my_rank, (gex_RMA_Value_t)round, 8, 0);
    }
    if (round % 3 == 0) {
      CHECK(gasnet_barrier(round, 0) == GASNET_OK);
    } else if (round % 3 == 1) {
      gex_Coll_BarrierBlocking(my_team, 0);
    } else {
      gex_Event_t done = gex_Coll_BarrierNB(my_team, 0);
      while (gex_Event_Test(done) != GASNET_OK) gasnet_AMPoll();
    }
    for (i = 0; i < team_size; ++i) {
      CHECK(((volatile uint64_t*)my_memory)[i] >= (uint64_t)round);
    }
  }
  barrier();
}

static void several_at_a_time(void) {
  enum { count = 8 };
  gex_Event_t events[count];
  int i;
  for (i = 0; i < count; ++i) events[i] = gex_Coll_BarrierNB(my_team, 0);
  for (i = count; i-- > count / 2;) gex_Event_Wait(events[i]);
  gex_Event_WaitAll(events, count / 2, 0);
}

/* notify and wait, by waiting or by trying. */
static int split(int notify_id, int notify_flags, int wait_id, int wait_flags) {
  static int turn;
  int result;
  gasnet_barrier_notify(notify_id, notify_flags);
  if (++turn & 1) return gasnet_barrier_wait(wait_id, wait_flags);
  do {
    result = gasnet_barrier_try(wait_id, wait_flags);
  } while (result == GASNET_ERR_NOT_READY);
  return result;
}

static void expect_name(int id) {
  int found = ~id;
  CHECK(gasnet_barrier_result(&found) == 0);
  CHECK(found == id);
}

static void expect_anonymous(void) {
  int found;
  CHECK(gasnet_barrier_result(&found) != 0);
}

static void names_that_agree(int id) {
  const int anonymous = GASNET_BARRIERFLAG_ANONYMOUS;
  gex_Rank_t j;
  CHECK(split(id, 0, id, 0) == GASNET_OK);
  expect_name(id);
  CHECK(gasnet_barrier(id, 0) == GASNET_OK);
  expect_name(id);
  CHECK(split(id, anonymous, id, anonymous) == GASNET_OK);
  expect_anonymous();
  CHECK(gasnet_barrier((int)my_rank, GASNET_BARRIERFLAG_UNNAMED) == GASNET_OK);
  expect_anonymous();
  CHECK(split(id, anonymous, id, 0) == GASNET_OK);
  expect_anonymous();
  CHECK(split(id, 0, -id, anonymous) == GASNET_OK);
  expect_name(id);
  for (j = 0; j < team_size && team_size > 1; ++j) { /* one anonymous, one named */
    CHECK(gasnet_barrier(id, my_rank == j ? anonymous : 0) == GASNET_OK);
    expect_name(id);
    CHECK(gasnet_barrier(id, my_rank == j ? 0 : anonymous) == GASNET_OK);
    expect_name(id);
  }
}

static void names_that_do_not(void) {
  const int anonymous = GASNET_BARRIERFLAG_ANONYMOUS;
  const int mismatch = GASNET_ERR_BARRIER_MISMATCH;
  gex_Rank_t j;
  CHECK(split(5, 0, 6, 0) == mismatch);
  CHECK(split(5, GASNET_BARRIERFLAG_MISMATCH, 5, GASNET_BARRIERFLAG_MISMATCH) == mismatch);
  for (j = 0; j < team_size && team_size > 1; ++j) {
    CHECK(split(my_rank == j, 0, my_rank == j, 0) == mismatch);
    CHECK(gasnet_barrier(my_rank == j, 0) == mismatch);
    CHECK(gasnet_barrier(3, my_rank == j ? GASNET_BARRIERFLAG_MISMATCH : 0) == mismatch);
    /* Anonymous at notify, but waiting under a name that the others do not have. */
    CHECK(split(my_rank == j ? 1 : 2, my_rank == j ? anonymous : 0, my_rank == j ? 1 : 2, 0) ==
          (my_rank == j ? mismatch : GASNET_OK));
  }
  if (team_size > 2) { /* two names among anonymous ones */
    CHECK(gasnet_barrier((int)my_rank, my_rank < 2 ? 0 : anonymous) == mismatch);
  }
}

int main(int argc, char** argv) {
  int i, rounds;
  start_client(&argc, &argv, 1 << 16);
  rounds = argc > 1 ? atoi(argv[1]) : 300;
  barrier();
  nobody_leaves_early(rounds);
  for (i = 0; i < rounds / 6; ++i) several_at_a_time();
  for (i = -rounds / 15; i < rounds / 15; ++i) {
    names_that_agree(i * 1000003);
    names_that_do_not();
  }
  finish_client();
}
