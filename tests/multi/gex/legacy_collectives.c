/* SPDX-License-Identifier: BSD-3-Clause

   The collectives that came from GASNet-1: five kinds of movement, every combination of when data
   may move and what completion means, blocking and with events, on the world team and on parts of
   it; that ALLSYNC waits for all, even in a call with nothing to move; the barrier of a team; calls
   for tuning, which are accepted. */
#include "client.h"

#include <gasnet_coll.h>

enum { bytes_max = 20000, ranks_max = 16 };

static char* from; /* both have a block per rank, in the segment */
static char* to;

static const int in_flags[] = {GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC,
                               GASNET_COLL_IN_ALLSYNC};
static const int out_flags[] = {GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC,
                                GASNET_COLL_OUT_ALLSYNC};

static void finish(gex_Event_t event, int variant) {
  gex_Event_t events[1];
  events[0] = event;
  switch (variant % 5) {
    case 0:
      gasnet_coll_wait_sync(event);
      return;
    case 1:
      while (gasnet_coll_try_sync(event) != GASNET_OK) gasnet_AMPoll();
      return;
    case 2:
      gasnet_coll_wait_sync_all(events, 1);
      return;
    case 3:
      gasnet_coll_wait_sync_some(events, 1);
      return;
    default:
      while (gasnet_coll_try_sync_all(events, 1) != GASNET_OK) gasnet_AMPoll();
  }
}

static void fill_blocks(gex_TM_t tm, size_t bytes, uint32_t seed) {
  const gex_Rank_t rank = gex_TM_QueryRank(tm), size = gex_TM_QuerySize(tm);
  gex_Rank_t i;
  for (i = 0; i < size; ++i) fill(from + i * bytes, bytes, seed + 100 * rank + i);
  memset(to, 0, size * bytes);
}

/* Whether this is block i of the data that rank r filled. */
static int is_block(const char* block, size_t bytes, uint32_t seed, gex_Rank_t r, gex_Rank_t i) {
  return filled(block, bytes, seed + 100 * r + i);
}

static void all_kinds(gex_TM_t tm, size_t bytes, gex_Rank_t root, int flags, int variant) {
  const gex_Rank_t rank = gex_TM_QueryRank(tm), size = gex_TM_QuerySize(tm);
  const uint32_t seed = (uint32_t)(flags + variant) * 1000u;
  const int blocking = variant % 2;
  const int moves = GASNET_COLL_LOCAL | GASNET_COLL_DST_IN_SEGMENT | GASNET_COLL_SRC_IN_SEGMENT;
  gex_Rank_t i;
  flags |= moves;
  fill_blocks(tm, bytes, seed);
  if (blocking) {
    gasnet_coll_broadcast(tm, to, root, from, bytes, flags);
  } else {
    finish(gasnet_coll_broadcast_nb(tm, to, root, from, bytes, flags), variant);
  }
  CHECK(is_block(to, bytes, seed, root, 0));
  if (blocking) {
    gasnet_coll_scatter(tm, to, root, from, bytes, flags);
  } else {
    finish(gasnet_coll_scatter_nb(tm, to, root, from, bytes, flags), variant);
  }
  CHECK(is_block(to, bytes, seed, root, rank));
  if (blocking) {
    gasnet_coll_gather(tm, root, to, from, bytes, flags);
  } else {
    finish(gasnet_coll_gather_nb(tm, root, to, from, bytes, flags), variant);
  }
  for (i = 0; rank == root && i < size; ++i) CHECK(is_block(to + i * bytes, bytes, seed, i, 0));
  if (blocking) {
    gasnet_coll_gather_all(tm, to, from, bytes, flags);
  } else {
    finish(gasnet_coll_gather_all_nb(tm, to, from, bytes, flags), variant);
  }
  for (i = 0; i < size; ++i) CHECK(is_block(to + i * bytes, bytes, seed, i, 0));
  if (blocking) {
    gasnet_coll_exchange(tm, to, from, bytes, flags);
  } else {
    finish(gasnet_coll_exchange_nb(tm, to, from, bytes, flags), variant);
  }
  for (i = 0; i < size; ++i) CHECK(is_block(to + i * bytes, bytes, seed, i, rank));
}

static void every_synchronization(gex_TM_t tm) {
  static const size_t sizes[] = {0, 4, 100, bytes_max};
  size_t size;
  int i, variant = 0;
  for (size = 0; size < 4; ++size) {
    for (i = 0; i < 9; ++i, ++variant) {
      const int flags = in_flags[i % 3] | out_flags[i / 3];
      all_kinds(tm, sizes[size], (gex_Rank_t)variant % gex_TM_QuerySize(tm), flags, variant);
    }
  }
}

/* Each rank writes the data that its right neighbour sends, and only then calls, so nothing may
   move before all have called. Afterwards it reads the result of its right neighbour, so all must
   have ended. */
static void all_means_all(int rounds) {
  const int flags = GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC | GASNET_COLL_LOCAL;
  const gex_Rank_t right = (my_rank + 1) % team_size;
  char* const remote = memory_of(right);
  int round;
  for (round = 1; round <= rounds; ++round) {
    const uint64_t value = (uint64_t)round * 100;
    gex_Rank_t i;
    gex_RMA_PutBlockingVal(my_team, right, remote, value + right, 8, 0);
    if (round % 2) {
      gasnet_coll_gather_all(GASNET_TEAM_ALL, to, from, 8, flags);
    } else {
      finish(gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, to, from, 8, flags), round);
    }
    for (i = 0; i < team_size; ++i) CHECK(((uint64_t*)(void*)to)[i] == value + i);
    CHECK(gex_RMA_GetBlockingVal(my_team, right, remote + (to - from), 8, 0) == value);
    barrier();
  }
}

/* Calls with and without synchronization, in flight together. */
static void in_flight(gex_TM_t tm) {
  enum { many = 90 };
  static uint32_t in[many], out[many][ranks_max];
  static gex_Event_t events[many];
  const gex_Rank_t size = gex_TM_QuerySize(tm), rank = gex_TM_QueryRank(tm);
  int i;
  gex_Rank_t r;
  for (i = 0; i < many; ++i) {
    in[i] = (uint32_t)i * 100 + rank;
    events[i] =
        gasnet_coll_gather_all_nb(tm, out[i], &in[i], 4, in_flags[i % 3] | out_flags[i / 3 % 3]);
  }
  for (i = many; i-- > 0;) finish(events[i], i);
  for (i = 0; i < many; ++i) {
    for (r = 0; r < size; ++r) CHECK(out[i][r] == (uint32_t)i * 100 + r);
  }
}

/* Zero bytes move nothing, but ALLSYNC still waits for all. */
static void nothing_to_move(int rounds) {
  const gex_Rank_t right = (my_rank + 1) % team_size;
  char* const remote = memory_of(right);
  int round;
  for (round = 1; round <= rounds; ++round) {
    const int flags = round % 2 ? GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_NOSYNC
                                : GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_ALLSYNC;
    gex_RMA_PutBlockingVal(my_team, right, remote, (gex_RMA_Value_t)round, 8, 0);
    gasnet_coll_exchange(GASNET_TEAM_ALL, to, from, 0, flags);
    CHECK(*(volatile uint64_t*)(void*)my_memory == (uint64_t)round);
    barrier();
  }
}

static void barriers_of(gex_TM_t tm) {
  int i, found, result;
  for (i = 0; i < 12; ++i) {
    gasnet_coll_barrier_notify(tm, i, 0);
    do {
      result = i % 2 ? gasnet_coll_barrier_try(tm, i, 0) : gasnet_coll_barrier_wait(tm, i, 0);
    } while (result == GASNET_ERR_NOT_READY);
    CHECK(result == GASNET_OK);
    CHECK(gasnet_coll_barrier_result(tm, &found) == 0 && found == i);
    CHECK(gasnet_coll_barrier(tm, i, GASNET_BARRIERFLAG_UNNAMED) == GASNET_OK);
    CHECK(gasnet_coll_barrier_result(tm, &found) != 0);
    if (gex_TM_QuerySize(tm) > 1) {
      CHECK(gasnet_coll_barrier(tm, gex_TM_QueryRank(tm) == 0, 0) == GASNET_ERR_BARRIER_MISMATCH);
    }
  }
}

static void tuning(gex_TM_t tm) {
  gasnet_coll_loadTuningState(NULL, tm);
  gasnet_coll_set_tree_kind(tm, 0, 2, GASNET_COLL_BROADCAST_OP);
  gasnet_coll_set_dissem_limit(tm, 1024, GASNET_COLL_EXCHANGE_OP);
  CHECK(gasnet_coll_get_num_tree_classes(tm, GASNET_COLL_GATHER_OP) == 0);
  gasnet_coll_dumpTuningState(NULL, tm);
  gasnet_coll_dumpProfile(NULL, tm);
}

int main(int argc, char** argv) {
  gex_TM_t part;
  int i;
  start_client(&argc, &argv, 1 << 20);
  CHECK(GASNET_TEAM_ALL == my_team);
  CHECK(team_size <= ranks_max);
  from = my_memory;
  to = my_memory + ranks_max * bytes_max;
  CHECK(gex_TM_Split(&part, my_team, (int)(my_rank % 2), -(int)my_rank, NULL, 0, 0) == 0);
  tuning(GASNET_TEAM_ALL);
  every_synchronization(GASNET_TEAM_ALL);
  every_synchronization(part);
  barrier();
  all_means_all(50);
  nothing_to_move(30);
  for (i = 0; i < 3; ++i) {
    in_flight(GASNET_TEAM_ALL);
    in_flight(part);
  }
  barriers_of(GASNET_TEAM_ALL);
  barriers_of(part);
  tuning(part);
  gex_TM_Destroy(part, NULL, 0);
  finish_client();
}
