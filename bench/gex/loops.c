// SPDX-License-Identifier: BSD-3-Clause
//
// The small operations of two ranks against the public GASNet-EX API. Globals, because handlers of
// this API carry no context; only handlers and the one thread of the program touch them.
#include "loops.h"

#include <gasnet_ratomic.h>
#include <gasnetex.h>
#include <string.h>

enum { segment_bytes = 4 << 20, places = 64 };

enum { echo = GEX_AM_INDEX_BASE, echo_medium, answer, answer_medium, swallow, swallow_medium };

static gex_TM_t team;
static gex_Rank_t rank, ranks, target;
static gex_AD_t counters;
static void* own_segment;
static void* mapped_target;
static uint64_t* remote;  // the target's segment, by its own addresses
static uint64_t got[places];
static char payload[gex_medium_bytes];

static volatile uint64_t answers;  // replies that came
static volatile uint64_t handled;  // requests that came
static uint64_t asked;             // replies that should have come
static uint64_t expected;          // requests that should have come

static void on_echo(gex_Token_t token) {
  handled = handled + 1;
  gex_AM_ReplyShort0(token, answer, 0);
}

static void on_echo_medium(gex_Token_t token, void* data, size_t bytes) {
  handled = handled + 1;
  gex_AM_ReplyMedium0(token, answer_medium, data, bytes, GEX_EVENT_NOW, 0);
}

static void on_answer(gex_Token_t token) {
  (void)token;
  answers = answers + 1;
}

static void on_answer_medium(gex_Token_t token, void* data, size_t bytes) {
  (void)token, (void)data, (void)bytes;
  answers = answers + 1;
}

static void on_swallow(gex_Token_t token) {
  (void)token;
  handled = handled + 1;
}

static void on_swallow_medium(gex_Token_t token, void* data, size_t bytes) {
  (void)token, (void)data, (void)bytes;
  handled = handled + 1;
}

static void register_handlers(gex_EP_t endpoint) {
  enum {
    short_request = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST,
    short_reply = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY,
    medium_request = GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST,
    medium_reply = GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY
  };
  gex_AM_Entry_t table[] = {
      {echo, (gex_AM_Fn_t)on_echo, short_request, 0, NULL, "echo"},
      {echo_medium, (gex_AM_Fn_t)on_echo_medium, medium_request, 0, NULL, "echo_medium"},
      {answer, (gex_AM_Fn_t)on_answer, short_reply, 0, NULL, "answer"},
      {answer_medium, (gex_AM_Fn_t)on_answer_medium, medium_reply, 0, NULL, "answer_medium"},
      {swallow, (gex_AM_Fn_t)on_swallow, short_request, 0, NULL, "swallow"},
      {swallow_medium, (gex_AM_Fn_t)on_swallow_medium, medium_request, 0, NULL, "swallow_medium"}};
  gex_EP_RegisterHandlers(endpoint, table, sizeof table / sizeof table[0]);
}

static void* segment_of(gex_Rank_t owner, void** local) {
  void* address;
  uintptr_t bytes;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, owner, &address, local, &bytes, 0));
  return address;
}

void gex_join(int* argc, char*** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  void* ignored;
  gex_Client_Init(&client, &endpoint, &team, "bench", argc, argv, 0);
  rank = gex_TM_QueryRank(team);
  ranks = gex_TM_QuerySize(team);
  target = ranks == 1 ? 0 : 1;
  gex_Segment_Attach(&segment, team, segment_bytes);
  register_handlers(endpoint);
  segment_of(rank, &ignored);
  memset(gex_Segment_QueryAddr(segment), 0, segment_bytes);
  segment_of(0, &own_segment);
  remote = segment_of(target, &mapped_target);
  gex_AD_Create(&counters, team, GEX_DT_U64, GEX_OP_FADD, 0);
  gex_barriers(1);
}

unsigned gex_rank(void) { return rank; }
unsigned gex_ranks(void) { return ranks; }
void* gex_first_segment(void) { return own_segment; }
void* gex_target_segment(void) { return mapped_target; }
void gex_leave(int status) { gasnet_exit(status); }

void gex_barriers(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

void gex_put_blocking(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    // The address of `value` may escape; if that of the counter did, it would live in memory.
    uint64_t value = i;
    gex_RMA_PutBlocking(team, target, remote + i % places, &value, 8, 0);
  }
}

void gex_put_nb(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t value = i;
    gex_Event_Wait(gex_RMA_PutNB(team, target, remote + i % places, &value, 8, GEX_EVENT_DEFER, 0));
  }
}

void gex_put_nbi(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t value = i;
    gex_RMA_PutNBI(team, target, remote + i % places, &value, 8, GEX_EVENT_DEFER, 0);
    gex_NBI_Wait(GEX_EC_PUT, 0);
  }
}

void gex_put_nbi_flood(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t value = i;
    gex_RMA_PutNBI(team, target, remote + i % places, &value, 8, GEX_EVENT_NOW, 0);
  }
  gex_NBI_Wait(GEX_EC_PUT, 0);
}

void gex_get_blocking(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    gex_RMA_GetBlocking(team, got + i % places, target, remote + i % places, 8, 0);
  }
}

void gex_get_nb(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    gex_Event_Wait(gex_RMA_GetNB(team, got + i % places, target, remote + i % places, 8, 0));
  }
}

void gex_get_nbi(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    gex_RMA_GetNBI(team, got + i % places, target, remote + i % places, 8, 0);
    gex_NBI_Wait(GEX_EC_GET, 0);
  }
}

void gex_get_nbi_flood(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    gex_RMA_GetNBI(team, got + i % places, target, remote + i % places, 8, 0);
  }
  gex_NBI_Wait(GEX_EC_GET, 0);
}

void gex_fetch_adds(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    gex_Event_Wait(gex_AD_OpNB_U64(counters, got + i % places, target, remote + i % places,
                                   GEX_OP_FADD, 1, 0, 0));
  }
}

void gex_fetch_add_flood(uint64_t count) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    gex_AD_OpNBI_U64(counters, got + i % places, target, remote + i % places, GEX_OP_FADD, 1, 0, 0);
  }
  gex_NBI_Wait(GEX_EC_RMW, 0);
}

void gex_put_sized(uint64_t count, size_t bytes) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) gex_RMA_PutBlocking(team, target, remote, payload, bytes, 0);
}

void gex_get_sized(uint64_t count, size_t bytes) {
  if (rank != 0) return;
  for (uint64_t i = 0; i < count; ++i) gex_RMA_GetBlocking(team, payload, target, remote, bytes, 0);
}

// The target's part in every loop of messages: waits until `count` more have come.
static void handle(uint64_t count) {
  if (rank != target) return;
  expected += count;
  GASNET_BLOCKUNTIL(handled >= expected);
}

static void short_round_trip(void) {
  ++asked;
  gex_AM_RequestShort0(team, target, echo, 0);
  GASNET_BLOCKUNTIL(answers == asked);
}

void gex_short_round_trips(uint64_t count) {
  if (rank == 0) {
    for (uint64_t i = 0; i < count; ++i) short_round_trip();
  }
  handle(count);
}

void gex_medium_round_trips(uint64_t count) {
  if (rank == 0) {
    for (uint64_t i = 0; i < count; ++i) {
      ++asked;
      gex_AM_RequestMedium0(team, target, echo_medium, payload, gex_medium_bytes, GEX_EVENT_NOW, 0);
      GASNET_BLOCKUNTIL(answers == asked);
    }
  }
  handle(count);
}

void gex_short_flood(uint64_t count) {
  if (rank == 0) {
    for (uint64_t i = 0; i < count; ++i) gex_AM_RequestShort0(team, target, swallow, 0);
    short_round_trip();
  }
  handle(count + 1);
}

void gex_medium_flood(uint64_t count, size_t bytes) {
  if (rank == 0) {
    for (uint64_t i = 0; i < count; ++i) {
      gex_AM_RequestMedium0(team, target, swallow_medium, payload, bytes, GEX_EVENT_NOW, 0);
    }
    short_round_trip();
  }
  handle(count + 1);
}

int gex_all_arrived(void) { return answers == asked && handled == expected; }
