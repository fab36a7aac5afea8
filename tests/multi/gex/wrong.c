/* SPDX-License-Identifier: BSD-3-Clause

   Wrong uses, one for each word on the command line. The last rank misbehaves towards rank 0 while
   the others wait; the job must end with a message, never silently and never in a hang. The program
   itself says "not refused" if it gets past the mistake, after as many seconds as it was told. */
#include "client.h"

#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <sched.h>
#include <time.h>

enum { hidx_request = 170, hidx_reply, hidx_payload };

static const char* mistake;
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static uint64_t word;

static int is(const char* name) { return strcmp(mistake, name) == 0; }

/* Handlers make their mistake once: where it is tolerated, one message would lead to the next. */
static int is_first(void) {
  static int calls;
  return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) == 0;
}

static void run_request(gex_Token_t token) {
  if (is("request-in-handler") && is_first()) {
    gex_AM_RequestShort0(my_team, team_size - 1, hidx_request, 0);
  }
  if (is("poll-in-handler")) gasnet_AMPoll();
  if (is("put-in-handler")) {
    gex_RMA_PutBlocking(my_team, 0, my_memory, my_memory + 65536, 65536, 0);
  }
  if (is("small-put-in-handler")) gex_RMA_PutBlockingVal(my_team, 0, my_memory, 1, 8, 0);
  if (is("barrier-in-handler")) barrier();
  if (is("broadcast-in-handler")) {
    gex_Event_Wait(gex_Coll_BroadcastNB(my_team, 0, &word, &word, 8, 0));
  }
  if (is("lock-kept-by-handler")) gex_HSL_Lock(&lock);
  if (is("reply-twice") || strstr(mistake, "-in-reply")) gex_AM_ReplyShort0(token, hidx_reply, 0);
  if (is("reply-twice")) gex_AM_ReplyShort0(token, hidx_reply, 0);
}

static void run_reply(gex_Token_t token) {
  if (is("request-in-reply") && is_first()) gex_AM_RequestShort0(my_team, 0, hidx_request, 0);
  if (is("reply-in-reply")) gex_AM_ReplyShort0(token, hidx_reply, 0);
}

static void run_payload(gex_Token_t token, void* payload, size_t bytes) {
  (void)token, (void)payload, (void)bytes;
}

static void transfers(void) {
  char* const there = memory_of(0);
  if (is("put-below")) gex_RMA_PutBlocking(my_team, 0, there - 8, &word, 8, 0);
  if (is("put-above")) gex_RMA_PutBlocking(my_team, 0, there + (1 << 20) - 4, &word, 8, 0);
  if (is("get-above")) gex_RMA_GetBlocking(my_team, &word, 0, there + (1 << 20), 1, 0);
  if (is("put-to-nobody")) gex_RMA_PutBlocking(my_team, team_size, there, &word, 8, 0);
  if (is("null-get")) gex_Event_Wait(gex_RMA_GetNB(my_team, &word, 0, NULL, 8, 0));
  if (is("long-above")) {
    gex_AM_RequestLong0(my_team, 0, hidx_payload, &word, 8, there + (1 << 20), GEX_EVENT_NOW, 0);
  }
}

/* Blocks and lists that reach out of the segment, or out of the address space. */
static void scattered(void) {
  char* const there = memory_of(0);
  static char here[4000];
  void* list[2];
  gex_Memvec_t to[2], from;
  const ptrdiff_t strides[2] = {8, 1 << 16}, packed[2] = {8, 200}, huge[2] = {8, PTRDIFF_MAX / 4};
  const size_t count[2] = {25, 20};
  if (is("scattered-above")) {
    gex_VIS_StridedPutBlocking(my_team, 0, there, strides, here, packed, 8, count, 2, 0);
  }
  list[0] = there + 8;
  list[1] = there - 8;
  if (is("scattered-below")) {
    void* const one = here;
    gex_VIS_IndexedGetBlocking(my_team, 1, &one, 16, 0, 2, list, 8, 0);
  }
  to[0].gex_addr = there;
  to[1].gex_addr = there + 64;
  to[0].gex_len = to[1].gex_len = from.gex_len = 8;
  from.gex_addr = here;
  if (is("scattered-uneven")) gex_VIS_VectorPutBlocking(my_team, 0, 2, to, 1, &from, 0);
  if (is("scattered-wrapping")) {
    gex_VIS_StridedGetBlocking(my_team, here, strides, 0, there, huge, 8, count, 2, 0);
  }
  if (is("scattered-armed-get")) {
    gex_VIS_SetPeerCompletionHandler(hidx_reply, NULL, 0, 0);
    gex_VIS_StridedGetBlocking(my_team, here, NULL, 0, there, NULL, 8, NULL, 0, 0);
  }
  if (is("scattered-to-nobody")) {
    gex_VIS_StridedPutBlocking(my_team, team_size, there, NULL, here, NULL, 8, NULL, 0, 0);
  }
}

/* On numbers of 64 bits, with a domain that can only add. */
static void atomics(void) {
  char* const there = memory_of(0);
  gex_AD_t ad;
  if (strstr(mistake, "atomic") == NULL) return;
  if (is("atomic-bits-of-floats")) gex_AD_Create(&ad, my_team, GEX_DT_FLT, GEX_OP_XOR, 0);
  if (is("atomic-on-users-type")) gex_AD_Create(&ad, my_team, GEX_DT_USER, GEX_OP_ADD, 0);
  if (is("atomic-of-a-pair")) {
    gex_AD_Create(&ad, gex_TM_Pair(my_endpoint, 0), GEX_DT_U64, GEX_OP_ADD, 0);
  }
  gex_AD_Create(&ad, my_team, GEX_DT_U64, GEX_OP_ADD, 0);
  if (is("atomic-not-announced")) gex_AD_OpNBI_U64(ad, &word, 0, there, GEX_OP_FADD, 1, 0, 0);
  if (is("atomic-two-at-once")) {
    gex_AD_OpNBI_U64(ad, &word, 0, there, GEX_OP_ADD | GEX_OP_SUB, 1, 0, 0);
  }
  if (is("atomic-of-another-type")) gex_AD_OpNBI_DBL(ad, NULL, 0, there, GEX_OP_ADD, 1, 0, 0);
  if (is("atomic-to-nobody")) gex_AD_OpNBI_U64(ad, NULL, team_size, there, GEX_OP_ADD, 1, 0, 0);
  if (is("atomic-above")) gex_AD_OpNBI_U64(ad, NULL, 0, there + (1 << 20), GEX_OP_ADD, 1, 0, 0);
  if (is("atomic-across")) gex_AD_OpNBI_U64(ad, NULL, 0, there + 4, GEX_OP_ADD, 1, 0, 0);
  if (is("atomic-false-promise")) {
    gex_AD_OpNBI_U64(ad, NULL, 0, there, GEX_OP_ADD, 1, 0, GEX_FLAG_AD_MY_RANK);
  }
}

static void messages(void) {
  if (is("no-handler")) gex_AM_RequestShort0(my_team, 0, 250, 0);
  if (is("wrong-arity")) gex_AM_RequestShort1(my_team, 0, hidx_request, 0, 1);
  if (is("wrong-category")) gex_AM_RequestShort0(my_team, 0, hidx_payload, 0);
  if (is("request-to-nobody")) gex_AM_RequestShort0(my_team, team_size + 3, hidx_request, 0);
  if (is("medium-too-long")) {
    const size_t bytes = gex_AM_LUBRequestMedium() + 1;
    gex_AM_RequestMedium0(my_team, 0, hidx_payload, calloc(bytes, 1), bytes, GEX_EVENT_NOW, 0);
  }
  if (strstr(mistake, "-in-handler") || strstr(mistake, "-in-reply") || is("reply-twice") ||
      is("lock-kept-by-handler")) {
    gex_AM_RequestShort0(my_team, 0, hidx_request, 0); /* a handler here or there errs */
  }
}

static void teams(void) {
  const gex_TM_t pair = gex_TM_Pair(my_endpoint, 0);
  gex_EP_Location_t list[2] = {{0, 0}, {1, 0}};
  gex_TM_t tm;
  if (is("barrier-of-pair")) gex_Event_Wait(gex_Coll_BarrierNB(pair, 0));
  if (is("split-of-pair")) gex_TM_Split(&tm, pair, 0, 0, NULL, 0, 0);
  if (is("negative-colour")) gex_TM_Split(&tm, my_team, -1, 0, NULL, 0, 0);
  if (is("create-twice")) list[1].gex_rank = 0;
  if (is("create-of-nobody")) list[1].gex_rank = 2;
  if (is("create-without-endpoint")) list[0].gex_ep_index = list[1].gex_ep_index = 9;
  if (is("create-of-two-indices")) list[1].gex_ep_index = 1;
  if (strstr(mistake, "create-")) gex_TM_Create(&tm, 1, my_team, list, 2, NULL, 0, 0);
  if (is("destroy-world")) gex_TM_Destroy(my_team, NULL, 0);
  if (is("pair-beyond")) gex_TM_Pair(my_endpoint, GASNET_MAXEPS);
  if (is("translate-nobody")) gex_TM_TranslateRankToJobrank(my_team, team_size);
}

static void endpoints(void) {
  gex_EP_t ep;
  if (is("destroy-attached")) gex_Segment_Destroy(my_segment, 0);
  if (!is("put-to-unbound") && !is("request-without-capability")) return;
  CHECK(gex_EP_Create(&ep, my_client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  if (is("put-to-unbound")) {
    gex_RMA_PutBlocking(gex_TM_Pair(my_endpoint, 1), 0, memory_of(0), &word, 8, 0);
  }
  gex_AM_RequestShort0(gex_TM_Pair(ep, 0), 0, hidx_request, 0);
}

static void reduce(gex_DT_t dt, size_t bytes, gex_OP_t op) {
  gex_Event_Wait(gex_Coll_ReduceToAllNB(my_team, &word, &word, dt, bytes, 1, op, NULL, NULL, 0));
}

static void collectives(void) {
  if (is("broadcast-from-nobody")) {
    gex_Event_Wait(gex_Coll_BroadcastNB(my_team, team_size, &word, &word, 8, 0));
  }
  if (is("reduce-to-nobody")) {
    gex_Event_Wait(gex_Coll_ReduceToOneNB(my_team, team_size, &word, &word, GEX_DT_U64, 8, 1,
                                          GEX_OP_ADD, NULL, NULL, 0));
  }
  if (is("reduce-bits-of-floats")) reduce(GEX_DT_DBL, 8, GEX_OP_XOR);
  if (is("reduce-without-function")) reduce(GEX_DT_USER, 8, GEX_OP_USER);
  if (is("reduce-other-size")) reduce(GEX_DT_I64, 4, GEX_OP_ADD);
  if (is("legacy-without-sync")) {
    gasnet_coll_gather_all(my_team, my_memory, &word, 8, GASNET_COLL_IN_MYSYNC);
  }
  if (is("notify-twice")) {
    gasnet_barrier_notify(1, 0);
    gasnet_barrier_notify(1, 0);
  }
}

static void order(void) {
  if (is("lock-and-poll")) {
    gex_HSL_Lock(&lock);
    gasnet_AMPoll();
  }
  if (is("lock-twice")) {
    gex_HSL_Lock(&lock);
    gex_HSL_Lock(&lock);
  }
  if (is("unlock-unlocked")) gex_HSL_Unlock(&lock);
  if (is("nested-region")) {
    gex_NBI_BeginAccessRegion(0);
    gex_NBI_BeginAccessRegion(0);
  }
  if (is("end-without-region")) gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  if (is("wait-without-notify")) gasnet_barrier_wait(0, 0);
  if (is("wait-for-no-op")) gex_Event_Wait(GEX_EVENT_NO_OP);
  if (is("prepare-and-poll")) {
    if (gex_AM_PrepareRequestMedium(my_team, 0, NULL, 1, 1, NULL, 0, 0)) gasnet_AMPoll();
  }
  if (is("commit-too-much")) {
    gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(my_team, 0, NULL, 1, 8, NULL, 0, 0);
    gex_AM_CommitRequestMedium0(sd, hidx_payload, 9);
  }
  if (is("exit-7")) gasnet_exit(7);
  if (is("return-9")) exit(9);
}

/* The mistake may be a message that is still under way, so being through a barrier proves nothing:
   every rank polls until the job is ended, or so long that surely nothing will end it. */
static void wait_for_refusal(time_t seconds) {
  const time_t start = time(NULL);
  barrier();
  while (time(NULL) - start < seconds) {
    gasnet_AMPoll();
    sched_yield();
  }
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {{hidx_request, (gex_AM_Fn_t)run_request,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "run_request"},
                            {hidx_reply, (gex_AM_Fn_t)run_reply,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "run_reply"},
                            {hidx_payload, (gex_AM_Fn_t)run_payload,
                             GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 0, NULL, "run_payload"}};
  if (argc < 2) return 2;
  mistake = argv[1];
  if (is("query-before-start")) {
    CHECK(gex_System_QueryJobRank() == GEX_RANK_INVALID && gex_System_QueryJobSize() == 0);
    fprintf(stderr, "not refused: %s\n", mistake);
    return 0;
  }
  start_client(&argc, &argv, 1 << 20);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  barrier();
  if (my_rank == team_size - 1) {
    transfers();
    scattered();
    atomics();
    messages();
    teams();
    endpoints();
    collectives();
    order();
  }
  wait_for_refusal(argc > 2 ? atoi(argv[2]) : 10);
  fprintf(stderr, "not refused: %s\n", mistake);
  gasnet_exit(0);
}
