/* SPDX-License-Identifier: BSD-3-Clause

   Immediate mode where there is no room: a rank whose handler does not return takes nothing out, so
   shorts, mediums and prepared ones are refused sooner or later, and the messages that were
   accepted before arrive. (A long that has written its payload is sent; another test covers that.)
   Requests of a rank to itself are handled at once. */
#include "client.h"

#include <gasnet_tools.h>
#include <sched.h>

enum { hidx_short = 165, hidx_medium, hidx_told };
enum { payload_bytes = 2000, most = 1000000, refusals = 10 };

/* In a segment, so that ranks that share its memory can write it without the help of its rank.
 */
static volatile uint64_t* released;
static unsigned held, arrived, notified;
static int is_seen; /* the sender has it mapped, and can write it by itself */
static uint64_t expected;

static double now_s(void) { return 1e-9 * (double)gasnett_ticks_to_ns(gasnett_ticks_now()); }

/* Does not return until the sender has been refused, or until a queue must be full.
 */
static void hold(gex_Token_t token) {
  gex_Token_Info_t info;
  double limit_s;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  COUNT(arrived);
  if (info.gex_srcrank == my_rank || READ(held)) return;
  COUNT(held);
  limit_s = now_s() + (is_seen ? 20 : 0.5);
  while (__atomic_load_n(released, __ATOMIC_ACQUIRE) == 0 && now_s() < limit_s) sched_yield();
}
static void hold_payload(gex_Token_t token, void* payload, size_t bytes) {
  CHECK(filled((const char*)payload, bytes, 3));
  hold(token);
}
static void run_told(gex_Token_t token, gex_AM_Arg_t count) {
  (void)token;
  expected = (uint64_t)count;
  COUNT(notified);
}

static char* payload_of(void) {
  static char payload[payload_bytes];
  fill(payload, payload_bytes, 3);
  return payload;
}

static int send_short(gex_Rank_t to) {
  return gex_AM_RequestShort0(my_team, to, hidx_short, GEX_FLAG_IMMEDIATE);
}
static int send_medium(gex_Rank_t to) {
  return gex_AM_RequestMedium0(my_team, to, hidx_medium, payload_of(), payload_bytes, GEX_EVENT_NOW,
                               GEX_FLAG_IMMEDIATE);
}
static int send_prepared(gex_Rank_t to) {
  gex_AM_SrcDesc_t sd =
      gex_AM_PrepareRequestMedium(my_team, to, payload_of(), payload_bytes, payload_bytes,
                                  GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE, 0);
  if (sd == GEX_AM_SRCDESC_NO_OP) return 1;
  if (gex_AM_CommitRequestMedium0_v2(sd, hidx_medium, payload_bytes, GEX_FLAG_IMMEDIATE) == 0)
    return 0;
  gex_AM_CancelRequestMedium(sd, 0);
  return 1;
}

typedef int (*way)(gex_Rank_t);

/* Sends until messages have been refused often enough; returns the count of accepted ones. */
static unsigned fill_up(way send, gex_Rank_t to) {
  unsigned accepted = 0, refused = 0, i;
  for (i = 0; i < most && refused < refusals; ++i) {
    if (send(to) == 0) {
      ++accepted;
    } else if (accepted != 0) {
      ++refused;
    } else {
      gasnet_AMPoll(); /* still connecting */
    }
  }
  CHECK(refused == refusals);
  return accepted;
}

/* The local mapping of a rank's segment; null where it is not mapped. */
static uint64_t* mapped_memory(gex_Rank_t rank) {
  void *remote = NULL, *mapped = NULL;
  uintptr_t bytes = 0;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(my_team, rank, &remote, &mapped, &bytes, 0));
  return (uint64_t*)mapped;
}

/* Releases a rank whose handler holds it. */
static void release(gex_Rank_t rank) {
  uint64_t* const mapped = mapped_memory(rank);
  if (mapped != NULL) {
    __atomic_store_n(mapped, 1, __ATOMIC_RELEASE);
  } else {
    gex_RMA_PutBlockingVal(my_team, rank, memory_of(rank), 1, 8, 0);
  }
}

static void refuses(way send) {
  const gex_Rank_t to = team_size - 1;
  held = arrived = notified = 0;
  *released = 0;
  barrier();
  if (my_rank == 0) {
    const unsigned accepted = fill_up(send, to);
    release(to);
    CHECK(gex_AM_RequestShort1(my_team, to, hidx_told, 0, (gex_AM_Arg_t)accepted) == 0);
  } else if (my_rank == to) {
    GASNET_BLOCKUNTIL(READ(notified) == 1 && READ(arrived) >= expected);
  }
  barrier();
  CHECK(my_rank != to || READ(arrived) == expected);
  barrier();
}

static void accepted_by_oneself(way send) {
  int i;
  arrived = 0;
  for (i = 0; i < 2000; ++i) CHECK(send(my_rank) == 0);
  GASNET_BLOCKUNTIL(READ(arrived) == 2000);
  barrier();
}

int main(int argc, char** argv) {
  static const way ways[] = {send_short, send_medium, send_prepared};
  gex_AM_Entry_t table[] = {
      {hidx_short, (gex_AM_Fn_t)hold, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "hold"},
      {hidx_medium, (gex_AM_Fn_t)hold_payload, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL,
       "hold_payload"},
      {hidx_told, (gex_AM_Fn_t)run_told, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL,
       "run_told"}};
  size_t i;
  start_client(&argc, &argv, 1 << 16);
  released = (volatile uint64_t*)(void*)my_memory;
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  is_seen = mapped_memory(0) != NULL;
  barrier();
  for (i = 0; i < sizeof ways / sizeof *ways; ++i) {
    if (team_size > 1) {
      refuses(ways[i]);
    } else {
      accepted_by_oneself(ways[i]);
    }
  }
  finish_client();
}
