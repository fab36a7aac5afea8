/* SPDX-License-Identifier: BSD-3-Clause

   Teams: split by colour and key, made from lists by rank in the job or in the parent, their ranks
   translated both ways; transfers, messages, non-contiguous transfers and atomics through teams and
   pairs; barriers of several teams at a time; teams that come and go. Every property of a team is
   checked against a list of the job ranks it should have. */
#include "client.h"

#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>

enum { most = 64, hidx_note = 150, hidx_noted, slot = 64 };

/* The expected team: the job ranks of its members, in order. */
struct expected {
  gex_Rank_t members[most];
  gex_Rank_t size;
};

static unsigned noted, answered;

static void run_note(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t from) {
  uint64_t value;
  gex_Token_Info_t info;
  CHECK(bytes == sizeof value);
  memcpy(&value, payload, sizeof value);
  CHECK(value == 1000u + (uint64_t)from);
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  CHECK(info.gex_srcrank == (gex_Rank_t)from); /* the rank in the job, whatever the team */
  COUNT(noted);
  gex_AM_ReplyShort0(token, hidx_noted, 0);
}

static void run_noted(gex_Token_t token) {
  (void)token;
  COUNT(answered);
}

static gex_Rank_t place_of(const struct expected* wanted, gex_Rank_t jobrank) {
  gex_Rank_t i;
  for (i = 0; i < wanted->size; ++i) {
    if (wanted->members[i] == jobrank) return i;
  }
  return GEX_RANK_INVALID;
}

static void team_barrier(gex_TM_t tm) { gex_Event_Wait(gex_Coll_BarrierNB(tm, 0)); }

static void has_members(gex_TM_t tm, const struct expected* wanted) {
  gex_Rank_t i;
  CHECK(gex_TM_QuerySize(tm) == wanted->size);
  CHECK(gex_TM_QueryRank(tm) == place_of(wanted, my_rank));
  CHECK(gex_TM_QueryEP(tm) == my_endpoint);
  CHECK(gex_TM_QueryClient(tm) == my_client);
  for (i = 0; i < wanted->size; ++i) {
    const gex_EP_Location_t location = gex_TM_TranslateRankToEP(tm, i, 0);
    CHECK(gex_TM_TranslateRankToJobrank(tm, i) == wanted->members[i]);
    CHECK(location.gex_rank == wanted->members[i] && location.gex_ep_index == 0);
  }
  for (i = 0; i < team_size; ++i) {
    CHECK(gex_TM_TranslateJobrankToRank(tm, i) == place_of(wanted, i));
  }
}

/* Where this rank's slot in the segment of a member begins, as the member addresses it. */
static char* slot_at(gex_TM_t tm, gex_Rank_t member) {
  void *address = NULL, *again = NULL;
  uintptr_t size = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(tm, member, &address, NULL, &size, 0));
  CHECK(size == (1 << 16));
  CHECK(gex_Segment_QueryBound(tm, member, &again, NULL, NULL) == GASNET_OK && again == address);
  return (char*)address + slot * my_rank;
}

/* Puts, gets and an atomic through the team, member by member. */
static void transfers_reach(gex_TM_t tm, const struct expected* wanted) {
  gex_AD_t numbers;
  gex_Rank_t i;
  memset(my_memory, 0, slot * team_size);
  gex_AD_Create(&numbers, tm, GEX_DT_U64, GEX_OP_FADD | GEX_OP_GET, 0);
  team_barrier(tm);
  for (i = 0; i < wanted->size; ++i) {
    char* const remote = slot_at(tm, i);
    uint64_t sent[2] = {1000 + my_rank, wanted->members[i]};
    const ptrdiff_t apart[1] = {16}, close_by[1] = {8};
    const size_t two[1] = {2};
    uint64_t got[2] = {0, 0}, old_value = 1;
    gex_RMA_PutBlockingVal(tm, i, remote, my_rank + 7u, 8, 0);
    CHECK(gex_RMA_GetBlockingVal(tm, i, remote, 8, 0) == my_rank + 7u);
    CHECK(gex_RMA_PutBlocking(tm, i, remote + 8, sent, 16, 0) == 0);
    gex_Event_Wait(gex_RMA_GetNB(tm, got, i, remote + 8, 16, 0));
    CHECK(got[0] == sent[0] && got[1] == sent[1]);
    CHECK(gex_VIS_StridedPutBlocking(tm, i, remote + 24, apart, sent, close_by, 8, two, 1, 0) == 0);
    CHECK(gex_RMA_GetBlockingVal(tm, i, remote + 24, 8, 0) == sent[0]);
    CHECK(gex_RMA_GetBlockingVal(tm, i, remote + 40, 8, 0) == sent[1]);
    gex_Event_Wait(gex_AD_OpNB_U64(numbers, &old_value, i, remote + 48, GEX_OP_FADD, 5, 0, 0));
    CHECK(old_value == 0);
  }
  team_barrier(tm);
  for (i = 0; i < wanted->size; ++i) {
    const uint64_t* const words = (const uint64_t*)(my_memory + slot * wanted->members[i]);
    CHECK(words[0] == wanted->members[i] + 7u && words[2] == my_rank);
    CHECK(words[3] == 1000u + wanted->members[i] && words[5] == my_rank && words[6] == 5);
  }
  team_barrier(tm);
  gex_AD_Destroy(numbers);
}

static void messages_reach(gex_TM_t tm, gex_Rank_t size) {
  const unsigned noted_before = READ(noted), answered_before = READ(answered);
  uint64_t value = 1000u + my_rank;
  gex_Rank_t i;
  team_barrier(tm);
  for (i = 0; i < size; ++i) {
    gex_AM_RequestMedium1(tm, i, hidx_note, &value, sizeof value, GEX_EVENT_NOW, 0,
                          (gex_AM_Arg_t)my_rank);
  }
  GASNET_BLOCKUNTIL(READ(answered) - answered_before >= size);
  team_barrier(tm);
  GASNET_BLOCKUNTIL(READ(noted) - noted_before >= size);
}

static void works(gex_TM_t tm, const struct expected* wanted) {
  has_members(tm, wanted);
  transfers_reach(tm, wanted);
  messages_reach(tm, wanted->size);
}

static void destroy(gex_TM_t tm) {
  gex_Memvec_t scratch;
  CHECK(gex_TM_Destroy(tm, &scratch, GEX_FLAG_GLOBALLY_QUIESCED) == 0);
}

/* ---- split ---------------------------------------------------------------------------------- */

/* The members of a colour, ordered by key and then by rank, by insertion. */
static void sort_by_key(struct expected* wanted, gex_Rank_t rank, const int* keys) {
  gex_Rank_t position = wanted->size++;
  while (position > 0 && keys[wanted->members[position - 1]] > keys[rank]) {
    wanted->members[position] = wanted->members[position - 1];
    --position;
  }
  wanted->members[position] = rank;
}

/* Colours and keys from formulas that every rank knows; colour -1: takes part only. */
static void splits(int (*color_of)(gex_Rank_t), int (*key_of)(gex_Rank_t)) {
  struct expected wanted = {{0}, 0};
  int keys[most];
  const int color = color_of(my_rank);
  gex_TM_t tm = GEX_TM_INVALID;
  gex_Rank_t i;
  for (i = 0; i < team_size; ++i) {
    keys[i] = key_of(i);
    if (color_of(i) == color) sort_by_key(&wanted, i, keys);
  }
  CHECK(gex_TM_Split(color < 0 ? NULL : &tm, my_team, color < 0 ? 0 : color, keys[my_rank], NULL, 0,
                     GEX_FLAG_TM_NO_SCRATCH) == 0);
  if (color < 0) return;
  works(tm, &wanted);
  destroy(tm);
}

static int one_color(gex_Rank_t rank) { return (void)rank, 3; }
static int odd_or_even(gex_Rank_t rank) { return (int)(rank % 2); }
static int first_left_out(gex_Rank_t rank) { return rank == 0 ? -1 : 2147483647; }
static int alone(gex_Rank_t rank) { return (int)rank * 1000; }
static int thirds(gex_Rank_t rank) { return rank % 3 == 1 ? -1 : (int)(rank % 3); }
static int same_key(gex_Rank_t rank) { return (void)rank, -5; }
static int backwards(gex_Rank_t rank) { return -(int)rank; }
static int extreme(gex_Rank_t rank) {
  return rank % 3 == 0 ? 2147483647 : rank % 3 == 1 ? -2147483647 - 1 : 0;
}
static int shuffled(gex_Rank_t rank) { return (int)(mixed(rank) % 1000u) - 500; }

static void all_splits(void) {
  int (*const colors[])(gex_Rank_t) = {one_color, odd_or_even, first_left_out, alone, thirds};
  int (*const keys[])(gex_Rank_t) = {same_key, backwards, extreme, shuffled};
  size_t i, j;
  for (i = 0; i < sizeof colors / sizeof *colors; ++i) {
    for (j = 0; j < sizeof keys / sizeof *keys; ++j) splits(colors[i], keys[j]);
  }
}

/* Rows and columns of width two, as in a matrix program, and diagonals made from a row's team.
 */
static void rows_and_columns(void) {
  gex_TM_t row, column, within;
  struct expected wanted = {{0}, 0};
  gex_Rank_t i;
  CHECK(gex_TM_Split(&row, my_team, (int)(my_rank / 2), (int)(my_rank % 2), NULL, 0, 0) == 0);
  CHECK(gex_TM_Split(&column, my_team, (int)(my_rank % 2), (int)(my_rank / 2), NULL, 0, 0) == 0);
  for (i = my_rank / 2 * 2; i < team_size && i < my_rank / 2 * 2 + 2; ++i) {
    wanted.members[wanted.size++] = i;
  }
  works(row, &wanted);
  wanted.size = 0;
  for (i = my_rank % 2; i < team_size; i += 2) wanted.members[wanted.size++] = i;
  works(column, &wanted);
  /* A column, reversed: keys order ranks of the parent, members are ranks of the job. */
  CHECK(gex_TM_Split(&within, column, 0, -(int)gex_TM_QueryRank(column), NULL, 0, 0) == 0);
  wanted.size = 0;
  for (i = team_size; i-- > 0;) {
    if (i % 2 == my_rank % 2) wanted.members[wanted.size++] = i;
  }
  works(within, &wanted);
  destroy(within);
  destroy(row);
  destroy(column);
}

/* ---- create --------------------------------------------------------------------------------- */

static gex_TM_t create(gex_TM_t parent, const struct expected* wanted, int by_jobrank) {
  gex_EP_Location_t list[most];
  gex_TM_t made = GEX_TM_INVALID;
  const int joins = place_of(wanted, my_rank) != GEX_RANK_INVALID;
  gex_Rank_t i;
  for (i = 0; i < wanted->size; ++i) {
    list[i].gex_ep_index = 0;
    list[i].gex_rank =
        by_jobrank ? wanted->members[i] : gex_TM_TranslateJobrankToRank(parent, wanted->members[i]);
  }
  CHECK(gex_TM_Create(joins ? &made : NULL, (size_t)joins, parent, joins ? list : NULL,
                      joins ? wanted->size : 0, NULL, 0,
                      (by_jobrank ? GEX_FLAG_RANK_IS_JOBRANK : 0) | GEX_FLAG_TM_LOCAL_SCRATCH) ==
        0);
  return made;
}

static void created(const struct expected* wanted) {
  gex_TM_t reversed, made;
  int by_jobrank;
  for (by_jobrank = 0; by_jobrank < 2; ++by_jobrank) {
    CHECK(gex_TM_Split(&reversed, my_team, 0, -(int)my_rank, NULL, 0, 0) == 0);
    made = create(reversed, wanted, by_jobrank);
    destroy(reversed); /* a team outlives its parent */
    if (made == GEX_TM_INVALID) continue;
    works(made, wanted);
    destroy(made);
  }
}

static void from_lists(void) {
  struct expected wanted = {{0}, 0};
  gex_Rank_t i;
  for (i = 0; i < team_size; ++i) wanted.members[wanted.size++] = (i + 1) % team_size; /* rotated */
  created(&wanted);
  wanted.size = 0;
  for (i = 0; i < team_size; i += 2) wanted.members[wanted.size++] = i; /* with a stride */
  created(&wanted);
  wanted.size = 0;
  for (i = team_size; i-- > 0;) wanted.members[wanted.size++] = i; /* backwards */
  created(&wanted);
  wanted.size = 0;
  wanted.members[wanted.size++] = team_size - 1; /* one */
  created(&wanted);
  wanted.size = 0; /* no stride at all, where there are enough: the last, the first, the others */
  wanted.members[wanted.size++] = team_size - 1;
  for (i = 0; i + 1 < team_size; ++i)
    wanted.members[wanted.size++] = i == 0 ? 0 : team_size - 1 - i;
  created(&wanted);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static void pairs(void) {
  const gex_TM_t pair = gex_TM_Pair(my_endpoint, 0);
  gex_Rank_t i;
  CHECK(pair == gex_TM_Pair(my_endpoint, 0));
  barrier();
  for (i = 0; i < team_size; ++i) {
    char* const remote = slot_at(pair, i);
    gex_RMA_PutBlockingVal(pair, i, remote, 31u * my_rank + i, 8, 0);
    CHECK(gex_RMA_GetBlockingVal(pair, i, remote, 8, 0) == 31u * my_rank + i);
  }
  barrier();
  for (i = 0; i < team_size; ++i) {
    CHECK(*(uint64_t*)(my_memory + slot * i) == 31u * i + my_rank);
  }
  barrier();
  messages_reach(my_team, team_size);
}

/* ---- life ----------------------------------------------------------------------------------- */

/* The client's scratch memory is given back; sizes can be queried without making a team. */
static void scratch(void) {
  static char memory[1 << 12];
  gex_Memvec_t back = {NULL, 0};
  gex_TM_t tm;
  const gex_Flags_t ask[] = {GEX_FLAG_TM_SCRATCH_SIZE_MIN, GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED};
  size_t i;
  for (i = 0; i < 2; ++i) {
    CHECK(gex_TM_Split(&tm, my_team, 0, 0, NULL, 0, ask[i]) <= sizeof memory);
    CHECK(gex_TM_Split(NULL, my_team, 0, 0, NULL, 0, ask[i]) == 0);
  }
  CHECK(gex_TM_Split(&tm, my_team, 0, 0, memory, sizeof memory, 0) == 0);
  CHECK(gex_TM_Destroy(tm, &back, 0) != 0);
  CHECK(back.gex_addr == memory && back.gex_len == sizeof memory);
}

static void client_data(void) {
  gex_TM_t first, second;
  int first_data, second_data;
  CHECK(gex_TM_Split(&first, my_team, 0, 0, NULL, 0, 0) == 0);
  CHECK(gex_TM_Split(&second, my_team, 0, 0, NULL, 0, 0) == 0);
  CHECK(first != second && gex_TM_QueryCData(first) == NULL);
  gex_TM_SetCData(first, &first_data);
  gex_TM_SetCData(second, &second_data);
  CHECK(gex_TM_QueryCData(first) == &first_data && gex_TM_QueryCData(second) == &second_data);
  destroy(second);
  destroy(first);
}

/* Several barriers of several teams, completed in another order than they were started. */
static void barriers_of_several(void) {
  enum { teams = 3, rounds = 20 };
  gex_TM_t tm[teams];
  gex_Event_t events[2 * teams];
  int round, i;
  for (i = 0; i < teams; ++i) {
    CHECK(gex_TM_Split(&tm[i], my_team, i == 2 ? (int)(my_rank % 2) : 0,
                       i == 1 ? -(int)my_rank : (int)my_rank, NULL, 0, 0) == 0);
  }
  for (round = 0; round < rounds; ++round) {
    for (i = 0; i < 2 * teams; ++i) events[i] = gex_Coll_BarrierNB(tm[i % teams], 0);
    for (i = 2 * teams; i-- > 0;) {
      if (round % 2) {
        gex_Event_Wait(events[i]);
      } else {
        while (gex_Event_Test(events[i]) != GASNET_OK) gasnet_AMPoll();
      }
    }
    for (i = 0; i < teams; ++i) {
      const int name = round * teams + i;
      int found = -1;
      CHECK(gasnet_coll_barrier(tm[i], name, 0) == GASNET_OK);
      CHECK(gasnet_coll_barrier_result(tm[i], &found) == 0 && found == name);
    }
  }
  for (i = 0; i < teams; ++i) destroy(tm[i]);
}

/* Makes and destroys very many teams: if they leaked memory, it would run out. */
static void create_and_destroy(void) {
  int i;
  for (i = 0; i < 400; ++i) {
    gex_TM_t tm;
    CHECK(gex_TM_Split(&tm, my_team, (int)(my_rank % (1u + (unsigned)i % 3u)), 0, NULL, 0, 0) == 0);
    if (i % 4 == 0) team_barrier(tm);
    destroy(tm);
  }
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {{hidx_note, (gex_AM_Fn_t)run_note,
                             GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "run_note"},
                            {hidx_noted, (gex_AM_Fn_t)run_noted,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "run_noted"}};
  struct expected wanted = {{0}, 0};
  start_client(&argc, &argv, 1 << 16);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, 2) == GASNET_OK);
  for (wanted.size = 0; wanted.size < team_size; ++wanted.size)
    wanted.members[wanted.size] = wanted.size;
  barrier();
  works(my_team, &wanted);
  all_splits();
  rows_and_columns();
  from_lists();
  pairs();
  scratch();
  client_data();
  barriers_of_several();
  create_and_destroy();
  finish_client();
}
