/* SPDX-License-Identifier: BSD-3-Clause

   Put and get between all pairs of ranks in every form: blocking, explicit, implicit, in access
   regions, by value; sizes around every boundary of the copy; local memory inside and outside of
   the segment; local completion in all its forms. The test gets back and compares what it has put;
   the bytes beside it must not have changed. */
#include "client.h"

enum { area_bytes = 1 << 18 }; /* the part of a segment that one writer uses */

static const size_t sizes[] = {0,  1,  2,   3,   7,   8,    9,    15,   16,   31,    63,
                               64, 65, 127, 255, 256, 4095, 4096, 4097, 8192, 65535, 100000};
enum { size_count = sizeof sizes / sizeof *sizes };

static char* private_memory; /* area_bytes outside of the segment */
static char* own_area;       /* area_bytes at the end of the segment */

static char* area_at(gex_Rank_t to) { return memory_of(to) + (size_t)my_rank * area_bytes; }

/* One way of putting and getting; complete when it returns. */
typedef struct {
  const char* name;
  void (*put)(gex_Rank_t to, void* dest, const void* src, size_t bytes);
  void (*get)(void* dest, gex_Rank_t from, void* src, size_t bytes);
} way;

static void put_blocking(gex_Rank_t to, void* dest, const void* src, size_t bytes) {
  CHECK(gex_RMA_PutBlocking(my_team, to, dest, src, bytes, 0) == 0);
}
static void get_blocking(void* dest, gex_Rank_t from, void* src, size_t bytes) {
  CHECK(gex_RMA_GetBlocking(my_team, dest, from, src, bytes, 0) == 0);
}

static void put_explicit(gex_Rank_t to, void* dest, const void* src, size_t bytes) {
  gex_Event_t source = (gex_Event_t)(uintptr_t)64;
  gex_Event_t done = gex_RMA_PutNB(my_team, to, dest, src, bytes, &source, 0);
  CHECK(done != GEX_EVENT_NO_OP);
  gex_Event_Wait(source);
  gex_Event_Wait(done);
}
static void get_explicit(void* dest, gex_Rank_t from, void* src, size_t bytes) {
  gex_Event_t done = gex_RMA_GetNB(my_team, dest, from, src, bytes, 0);
  while (gex_Event_Test(done) != GASNET_OK) gasnet_AMPoll();
}

static void put_implicit(gex_Rank_t to, void* dest, const void* src, size_t bytes) {
  CHECK(gex_RMA_PutNBI(my_team, to, dest, src, bytes, GEX_EVENT_GROUP, 0) == 0);
  gex_NBI_Wait(GEX_EC_LC, 0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
}
static void get_implicit(void* dest, gex_Rank_t from, void* src, size_t bytes) {
  CHECK(gex_RMA_GetNBI(my_team, dest, from, src, bytes, 0) == 0);
  while (gex_NBI_Test(GEX_EC_GET, 0) != GASNET_OK) gasnet_AMPoll();
}

static void put_in_region(gex_Rank_t to, void* dest, const void* src, size_t bytes) {
  const size_t half = bytes / 2;
  gex_Event_t done;
  gex_NBI_BeginAccessRegion(0);
  CHECK(gex_RMA_PutNBI(my_team, to, dest, src, half, GEX_EVENT_DEFER, 0) == 0);
  CHECK(gex_RMA_PutNBI(my_team, to, (char*)dest + half, (const char*)src + half, bytes - half,
                       GEX_EVENT_DEFER, 0) == 0);
  done = gex_NBI_EndAccessRegion(0);
  CHECK(gex_Event_QueryLeaf(done, GEX_EC_LC) == GEX_EVENT_INVALID);
  gex_Event_Wait(done);
}
static void get_in_region(void* dest, gex_Rank_t from, void* src, size_t bytes) {
  const size_t half = bytes / 2;
  gex_NBI_BeginAccessRegion(0);
  CHECK(gex_RMA_GetNBI(my_team, (char*)dest + half, from, (char*)src + half, bytes - half, 0) == 0);
  CHECK(gex_RMA_GetNBI(my_team, dest, from, src, half, 0) == 0);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
}

/* Immediate mode may refuse; accepted transfers must be right. */
static void put_immediate(gex_Rank_t to, void* dest, const void* src, size_t bytes) {
  while (gex_RMA_PutBlocking(my_team, to, dest, src, bytes, GEX_FLAG_IMMEDIATE) != 0) {
    gasnet_AMPoll();
  }
}
static void get_immediate(void* dest, gex_Rank_t from, void* src, size_t bytes) {
  gex_Event_t done = gex_RMA_GetNB(my_team, dest, from, src, bytes, GEX_FLAG_IMMEDIATE);
  while (done == GEX_EVENT_NO_OP) {
    gasnet_AMPoll();
    done = gex_RMA_GetNB(my_team, dest, from, src, bytes, GEX_FLAG_IMMEDIATE);
  }
  gex_Event_Wait(done);
}

static void put_by_pair(gex_Rank_t to, void* dest, const void* src, size_t bytes) {
  CHECK(gex_RMA_PutBlocking(gex_TM_Pair(my_endpoint, 0), to, dest, src, bytes, 0) == 0);
}
static void get_by_pair(void* dest, gex_Rank_t from, void* src, size_t bytes) {
  CHECK(gex_RMA_GetBlocking(gex_TM_Pair(my_endpoint, 0), dest, from, src, bytes, 0) == 0);
}

static const way ways[] = {
    {"blocking", put_blocking, get_blocking},    {"explicit", put_explicit, get_explicit},
    {"implicit", put_implicit, get_implicit},    {"region", put_in_region, get_in_region},
    {"immediate", put_immediate, get_immediate}, {"pair", put_by_pair, get_by_pair}};
enum { way_count = sizeof ways / sizeof *ways };

/* Puts `bytes` in one way, gets them back in another, and checks the bytes beside them. */
static void there_and_back(const way* out, const way* in, gex_Rank_t to, size_t bytes,
                           char* local) {
  enum { margin = 16 };
  const uint32_t seed = mixed((uint32_t)bytes + to);
  char* const far_side = area_at(to) + margin + (bytes & 7);
  char* const back = local + area_bytes / 2;
  memset(back, 'x', bytes + 2 * margin);
  put_blocking(to, far_side - margin, back, bytes + 2 * margin);
  fill(local, bytes, seed);
  out->put(to, far_side, local, bytes);
  memset(back, 'y', bytes + 2 * margin);
  in->get(back + margin, to, far_side, bytes);
  CHECK(filled(back + margin, bytes, seed));
  CHECK(back[margin - 1] == 'y' && back[margin + bytes] == 'y');
  get_blocking(back, to, far_side - margin, bytes + 2 * margin);
  CHECK(back[margin - 1] == 'x' && back[margin + bytes] == 'x');
}

static void every_way(gex_Rank_t to) {
  size_t i, out, in;
  for (i = 0; i < size_count; ++i) {
    for (out = 0; out < way_count; ++out) {
      in = (out + i) % way_count;
      there_and_back(&ways[out], &ways[in], to, sizes[i], (out & 1) ? private_memory : own_area);
    }
  }
}

static void values(gex_Rank_t to) {
  char* const place = area_at(to) + 64;
  const gex_RMA_Value_t value = UINT64_C(0x8182838485868788);
  size_t bytes;
  for (bytes = 1; bytes <= sizeof value; ++bytes) {
    const gex_RMA_Value_t mask = ~UINT64_C(0) >> (64 - 8 * bytes);
    const gex_RMA_Value_t expected = value & mask;
    CHECK(gex_RMA_PutBlockingVal(my_team, to, place, 0, sizeof value, 0) == 0);
    CHECK(gex_RMA_PutBlockingVal(my_team, to, place, value, bytes, 0) == 0);
    CHECK(gex_RMA_GetBlockingVal(my_team, to, place, bytes, 0) == expected);
    CHECK(gex_RMA_GetBlockingVal(my_team, to, place, sizeof value, 0) == expected);
    gex_Event_Wait(gex_RMA_PutNBVal(my_team, to, place, ~value, bytes, 0));
    CHECK(gex_RMA_GetBlockingVal(my_team, to, place, bytes, 0) == (~value & mask));
    CHECK(gex_RMA_PutNBIVal(my_team, to, place, value, bytes, 0) == 0);
    gex_NBI_Wait(GEX_EC_ALL, 0);
    CHECK(gex_RMA_GetBlockingVal(my_team, to, place, bytes, 0) == expected);
  }
}

/* Many explicit operations under way, completed all together, in part, and out of order. */
static void many_events(gex_Rank_t to) {
  enum { count = 100, bytes = 512 };
  gex_Event_t events[count];
  size_t left = count, i;
  char* const local = private_memory;
  fill(local, (size_t)count * bytes, my_rank + 7);
  for (i = 0; i < count; ++i) {
    events[i] = gex_RMA_PutNB(my_team, to, area_at(to) + i * bytes, local + i * bytes, bytes,
                              GEX_EVENT_DEFER, 0);
  }
  gex_Event_WaitAll(events, count, 0);
  for (i = 0; i < count; ++i) CHECK(events[i] == GEX_EVENT_INVALID);
  CHECK(gex_Event_TestAll(events, count, 0) == GASNET_OK);
  CHECK(gex_Event_TestSome(events, count, 0) == GASNET_OK);
  memset(local, 0, (size_t)count * bytes);
  for (i = 0; i < count; ++i) {
    events[i] = gex_RMA_GetNB(my_team, local + i * bytes, to, area_at(to) + i * bytes, bytes, 0);
  }
  while (left != 0) {
    gex_Event_WaitSome(events, count, 0);
    for (left = 0, i = 0; i < count; ++i) left += events[i] != GEX_EVENT_INVALID;
  }
  CHECK(filled(local, (size_t)count * bytes, my_rank + 7));
}

/* A transfer that is longer than any message. */
static void one_large(gex_Rank_t to) {
  enum { bytes = area_bytes };
  fill(private_memory, bytes, my_rank);
  put_explicit(to, area_at(to), private_memory, bytes);
  memset(private_memory, 0, bytes);
  get_explicit(private_memory, to, area_at(to), bytes);
  CHECK(filled(private_memory, bytes, my_rank));
}

/* A region's root event has leaf events: each is the same at every query, completes no later than
   the root, and may be waited for or tested any number of times. */
static void leaves_of_a_region(gex_Rank_t to) {
  static const gex_EC_t categories[] = {GEX_EC_PUT, GEX_EC_GET, GEX_EC_RMW, GEX_EC_LC, GEX_EC_AM};
  char* const remote = memory_of(to) + (size_t)area_bytes * my_rank;
  size_t i;
  int round;
  for (round = 0; round < 3; ++round) {
    gex_Event_t root, list[2];
    fill(private_memory, 70000, (uint32_t)round);
    gex_NBI_BeginAccessRegion(0);
    CHECK(gex_RMA_PutNBI(my_team, to, remote, private_memory, 70000, GEX_EVENT_DEFER, 0) == 0);
    CHECK(gex_RMA_GetNBI(my_team, own_area, to, remote + 70000, 8, 0) == 0);
    root = gex_NBI_EndAccessRegion(0);
    for (i = 0; i < sizeof categories / sizeof *categories; ++i) {
      const gex_Event_t leaf = gex_Event_QueryLeaf(root, categories[i]);
      CHECK(leaf == gex_Event_QueryLeaf(root, categories[i]));
      CHECK(leaf == GEX_EVENT_INVALID || leaf != root);
      list[0] = list[1] = leaf;
      if (round == 0) {
        gex_Event_Wait(leaf);
      } else if (round == 1) {
        gex_Event_WaitAll(list, 2, 0);
        CHECK(list[0] == GEX_EVENT_INVALID && list[1] == GEX_EVENT_INVALID);
      } else {
        while (gex_Event_TestSome(list, 2, 0) != GASNET_OK) gasnet_AMPoll();
      }
      CHECK(gex_Event_Test(leaf) == GASNET_OK);
    }
    gex_Event_Wait(root);
    gex_RMA_GetBlocking(my_team, own_area, to, remote, 70000, 0);
    CHECK(filled(own_area, 70000, (uint32_t)round));
  }
}

int main(int argc, char** argv) {
  gex_Rank_t i;
  start_client(&argc, &argv, (uintptr_t)area_bytes * 16);
  private_memory = (char*)malloc(area_bytes);
  own_area = my_memory + (size_t)area_bytes * 15;
  CHECK(private_memory != NULL && team_size <= 15);
  barrier();
  for (i = 0; i < team_size; ++i) {
    const gex_Rank_t to = (my_rank + i) % team_size;
    every_way(to);
    values(to);
    many_events(to);
    one_large(to);
    leaves_of_a_region(to);
  }
  free(private_memory);
  finish_client();
}
