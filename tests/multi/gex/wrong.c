/* SPDX-License-Identifier: BSD-3-Clause

   Wrong uses, one for each word on the command line. The last rank misbehaves towards rank 0 while
   the others wait; the job must end with a message, never silently, and it must not hang. The
   program prints "not refused" if it gets past the mistake, after the milliseconds of its argument.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "client.h"

#include <gasnet_coll.h>
#include <gasnet_mk.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <sched.h>
#include <time.h>

enum { hidx_request = 170, hidx_reply, hidx_payload };

static const char* mistake;
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static uint64_t word;
static gex_TM_t device_team;
static void* device_memory;

static int wants(const char* name) { return strcmp(mistake, name) == 0; }

/* Handlers make their mistake only once: where it is tolerated, messages would otherwise multiply.
 */
static int is_first(void) {
  static int calls;
  return __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) == 0;
}

static void run_request(gex_Token_t token) {
  if (wants("request-in-handler") && is_first()) {
    gex_AM_RequestShort0(my_team, team_size - 1, hidx_request, 0);
  }
  if (wants("poll-in-handler")) gasnet_AMPoll();
  if (wants("put-in-handler")) {
    gex_RMA_PutBlocking(my_team, 0, my_memory, my_memory + 65536, 65536, 0);
  }
  if (wants("small-put-in-handler")) gex_RMA_PutBlockingVal(my_team, 0, my_memory, 1, 8, 0);
  if (wants("barrier-in-handler")) barrier();
  if (wants("broadcast-in-handler")) {
    gex_Event_Wait(gex_Coll_BroadcastNB(my_team, 0, &word, &word, 8, 0));
  }
  if (wants("lock-kept-by-handler")) gex_HSL_Lock(&lock);
  if (wants("reply-twice") || strstr(mistake, "-in-reply"))
    gex_AM_ReplyShort0(token, hidx_reply, 0);
  if (wants("reply-twice")) gex_AM_ReplyShort0(token, hidx_reply, 0);
}

static void run_reply(gex_Token_t token) {
  if (wants("request-in-reply") && is_first()) gex_AM_RequestShort0(my_team, 0, hidx_request, 0);
  if (wants("reply-in-reply")) gex_AM_ReplyShort0(token, hidx_reply, 0);
}

static void run_payload(gex_Token_t token, void* payload, size_t bytes) {
  (void)token, (void)payload, (void)bytes;
}

static void transfers(void) {
  char* const remote = memory_of(0);
  if (wants("put-below")) gex_RMA_PutBlocking(my_team, 0, remote - 8, &word, 8, 0);
  if (wants("put-above")) gex_RMA_PutBlocking(my_team, 0, remote + (1 << 20) - 4, &word, 8, 0);
  if (wants("get-above")) gex_RMA_GetBlocking(my_team, &word, 0, remote + (1 << 20), 1, 0);
  if (wants("put-to-nobody")) gex_RMA_PutBlocking(my_team, team_size, remote, &word, 8, 0);
  if (wants("null-get")) gex_Event_Wait(gex_RMA_GetNB(my_team, &word, 0, NULL, 8, 0));
  if (wants("long-above")) {
    gex_AM_RequestLong0(my_team, 0, hidx_payload, &word, 8, remote + (1 << 20), GEX_EVENT_NOW, 0);
  }
}

/* Blocks and lists that reach out of the segment, or out of the address space. */
static void scattered(void) {
  char* const remote = memory_of(0);
  static char local[4000];
  void* list[2];
  gex_Memvec_t to[2], from;
  const ptrdiff_t strides[2] = {8, 1 << 16}, packed[2] = {8, 200}, huge[2] = {8, PTRDIFF_MAX / 4};
  const size_t count[2] = {25, 20};
  if (wants("scattered-above")) {
    gex_VIS_StridedPutBlocking(my_team, 0, remote, strides, local, packed, 8, count, 2, 0);
  }
  list[0] = remote + 8;
  list[1] = remote - 8;
  if (wants("scattered-below")) {
    void* const single = local;
    gex_VIS_IndexedGetBlocking(my_team, 1, &single, 16, 0, 2, list, 8, 0);
  }
  to[0].gex_addr = remote;
  to[1].gex_addr = remote + 64;
  to[0].gex_len = to[1].gex_len = from.gex_len = 8;
  from.gex_addr = local;
  if (wants("scattered-uneven")) gex_VIS_VectorPutBlocking(my_team, 0, 2, to, 1, &from, 0);
  if (wants("scattered-wrapping")) {
    gex_VIS_StridedGetBlocking(my_team, local, strides, 0, remote, huge, 8, count, 2, 0);
  }
  if (wants("scattered-armed-get")) {
    gex_VIS_SetPeerCompletionHandler(hidx_reply, NULL, 0, 0);
    gex_VIS_StridedGetBlocking(my_team, local, NULL, 0, remote, NULL, 8, NULL, 0, 0);
  }
  if (wants("scattered-to-nobody")) {
    gex_VIS_StridedPutBlocking(my_team, team_size, remote, NULL, local, NULL, 8, NULL, 0, 0);
  }
}

/* On numbers of 64 bits, with a domain that can only add. */
static void atomics(void) {
  char* const remote = memory_of(0);
  gex_AD_t ad;
  if (strstr(mistake, "atomic") == NULL) return;
  if (wants("atomic-bits-of-floats")) gex_AD_Create(&ad, my_team, GEX_DT_FLT, GEX_OP_XOR, 0);
  if (wants("atomic-on-users-type")) gex_AD_Create(&ad, my_team, GEX_DT_USER, GEX_OP_ADD, 0);
  if (wants("atomic-of-a-pair")) {
    gex_AD_Create(&ad, gex_TM_Pair(my_endpoint, 0), GEX_DT_U64, GEX_OP_ADD, 0);
  }
  gex_AD_Create(&ad, my_team, GEX_DT_U64, GEX_OP_ADD, 0);
  if (wants("atomic-not-announced")) gex_AD_OpNBI_U64(ad, &word, 0, remote, GEX_OP_FADD, 1, 0, 0);
  if (wants("atomic-two-at-once")) {
    gex_AD_OpNBI_U64(ad, &word, 0, remote, GEX_OP_ADD | GEX_OP_SUB, 1, 0, 0);
  }
  if (wants("atomic-of-another-type")) gex_AD_OpNBI_DBL(ad, NULL, 0, remote, GEX_OP_ADD, 1, 0, 0);
  if (wants("atomic-to-nobody")) gex_AD_OpNBI_U64(ad, NULL, team_size, remote, GEX_OP_ADD, 1, 0, 0);
  if (wants("atomic-above")) gex_AD_OpNBI_U64(ad, NULL, 0, remote + (1 << 20), GEX_OP_ADD, 1, 0, 0);
  if (wants("atomic-across")) gex_AD_OpNBI_U64(ad, NULL, 0, remote + 4, GEX_OP_ADD, 1, 0, 0);
  if (wants("atomic-false-promise")) {
    gex_AD_OpNBI_U64(ad, NULL, 0, remote, GEX_OP_ADD, 1, 0, GEX_FLAG_AD_MY_RANK);
  }
}

static void messages(void) {
  if (wants("no-handler")) gex_AM_RequestShort0(my_team, 0, 250, 0);
  if (wants("wrong-arity")) gex_AM_RequestShort1(my_team, 0, hidx_request, 0, 1);
  if (wants("wrong-category")) gex_AM_RequestShort0(my_team, 0, hidx_payload, 0);
  if (wants("request-to-nobody")) gex_AM_RequestShort0(my_team, team_size + 3, hidx_request, 0);
  if (wants("medium-too-long")) {
    const size_t bytes = gex_AM_LUBRequestMedium() + 1;
    gex_AM_RequestMedium0(my_team, 0, hidx_payload, calloc(bytes, 1), bytes, GEX_EVENT_NOW, 0);
  }
  if (strstr(mistake, "-in-handler") || strstr(mistake, "-in-reply") || wants("reply-twice") ||
      wants("lock-kept-by-handler")) {
    gex_AM_RequestShort0(my_team, 0, hidx_request, 0); /* a handler here or at rank 0 errs */
  }
}

static void teams(void) {
  const gex_TM_t pair = gex_TM_Pair(my_endpoint, 0);
  gex_EP_Location_t list[2] = {{0, 0}, {1, 0}};
  gex_TM_t tm;
  if (wants("barrier-of-pair")) gex_Event_Wait(gex_Coll_BarrierNB(pair, 0));
  if (wants("split-of-pair")) gex_TM_Split(&tm, pair, 0, 0, NULL, 0, 0);
  if (wants("negative-colour")) gex_TM_Split(&tm, my_team, -1, 0, NULL, 0, 0);
  if (wants("create-twice")) list[1].gex_rank = 0;
  if (wants("create-of-nobody")) list[1].gex_rank = 2;
  if (wants("create-without-endpoint")) list[0].gex_ep_index = list[1].gex_ep_index = 9;
  if (wants("create-of-two-indices")) list[1].gex_ep_index = 1;
  if (strstr(mistake, "create-")) gex_TM_Create(&tm, 1, my_team, list, 2, NULL, 0, 0);
  if (wants("destroy-world")) gex_TM_Destroy(my_team, NULL, 0);
  if (wants("pair-beyond")) gex_TM_Pair(my_endpoint, GASNET_MAXEPS);
  if (wants("translate-nobody")) gex_TM_TranslateRankToJobrank(my_team, team_size);
}

/* Called by all ranks: makes a team whose endpoints are bound to memory of simulated devices. */
static void make_devices(void) {
  gex_MK_Create_args_t args;
  gex_MK_t kind;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  gex_EP_Location_t list[8];
  gex_Rank_t i;
  if (strstr(mistake, "device") == NULL) return;
  memset(&args, 0, sizeof args);
  args.gex_class = GEX_MK_CLASS_CUDA_UVA;
  CHECK(gex_MK_Create(&kind, my_client, &args, 0) == GASNET_OK);
  CHECK(gex_EP_Create(&endpoint, my_client, GEX_EP_CAPABILITY_RMA | GEX_EP_CAPABILITY_AD, 0) ==
        GASNET_OK);
  CHECK(gex_Segment_Create(&segment, my_client, NULL, 4096, kind, 0) == GASNET_OK);
  CHECK(gex_EP_BindSegment(endpoint, segment, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(my_team, &endpoint, 1, 0) == GASNET_OK);
  for (i = 0; i < team_size; ++i) {
    list[i].gex_rank = i;
    list[i].gex_ep_index = gex_EP_QueryIndex(endpoint);
  }
  CHECK(gex_TM_Create(&device_team, 1, my_team, list, team_size, NULL, 0, GEX_FLAG_TM_NO_SCRATCH) ==
        0);
  device_memory = gex_Segment_QueryAddr(segment);
}

static void devices(void) {
  void *owners = NULL, *here = NULL;
  uintptr_t size = 0;
  gex_AD_t ad;
  if (strstr(mistake, "device") == NULL) return;
  if (wants("broadcast-from-device")) {
    gex_Event_Wait(gex_Coll_BroadcastNB(my_team, my_rank, device_memory, device_memory, 8, 0));
  }
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(device_team, 0, &owners, &here, &size, 0));
  gex_AD_Create(&ad, device_team, GEX_DT_U64, GEX_OP_ADD, 0);
  if (wants("atomic-in-device")) {
    gex_Event_Wait(gex_AD_OpNB_U64(ad, NULL, 0, owners, GEX_OP_ADD, 1, 0, 0));
  }
}

static void endpoints(void) {
  gex_EP_t ep;
  if (wants("destroy-attached")) gex_Segment_Destroy(my_segment, 0);
  if (!wants("put-to-unbound") && !wants("request-without-capability")) return;
  CHECK(gex_EP_Create(&ep, my_client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  if (wants("put-to-unbound")) {
    gex_RMA_PutBlocking(gex_TM_Pair(my_endpoint, 1), 0, memory_of(0), &word, 8, 0);
  }
  gex_AM_RequestShort0(gex_TM_Pair(ep, 0), 0, hidx_request, 0);
}

static void reduce(gex_DT_t dt, size_t bytes, gex_OP_t op) {
  gex_Event_Wait(gex_Coll_ReduceToAllNB(my_team, &word, &word, dt, bytes, 1, op, NULL, NULL, 0));
}

static void collectives(void) {
  if (wants("broadcast-from-nobody")) {
    gex_Event_Wait(gex_Coll_BroadcastNB(my_team, team_size, &word, &word, 8, 0));
  }
  if (wants("reduce-to-nobody")) {
    gex_Event_Wait(gex_Coll_ReduceToOneNB(my_team, team_size, &word, &word, GEX_DT_U64, 8, 1,
                                          GEX_OP_ADD, NULL, NULL, 0));
  }
  if (wants("reduce-bits-of-floats")) reduce(GEX_DT_DBL, 8, GEX_OP_XOR);
  if (wants("reduce-without-function")) reduce(GEX_DT_USER, 8, GEX_OP_USER);
  if (wants("reduce-other-size")) reduce(GEX_DT_I64, 4, GEX_OP_ADD);
  if (wants("legacy-without-sync")) {
    gasnet_coll_gather_all(my_team, my_memory, &word, 8, GASNET_COLL_IN_MYSYNC);
  }
  if (wants("notify-twice")) {
    gasnet_barrier_notify(1, 0);
    gasnet_barrier_notify(1, 0);
  }
}

static void order(void) {
  if (wants("lock-and-poll")) {
    gex_HSL_Lock(&lock);
    gasnet_AMPoll();
  }
  if (wants("lock-twice")) {
    gex_HSL_Lock(&lock);
    gex_HSL_Lock(&lock);
  }
  if (wants("unlock-unlocked")) gex_HSL_Unlock(&lock);
  if (wants("nested-region")) {
    gex_NBI_BeginAccessRegion(0);
    gex_NBI_BeginAccessRegion(0);
  }
  if (wants("end-without-region")) gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  if (wants("wait-without-notify")) gasnet_barrier_wait(0, 0);
  if (wants("wait-for-no-op")) gex_Event_Wait(GEX_EVENT_NO_OP);
  if (wants("prepare-and-poll")) {
    if (gex_AM_PrepareRequestMedium(my_team, 0, NULL, 1, 1, NULL, 0, 0)) gasnet_AMPoll();
  }
  if (wants("commit-too-much")) {
    gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(my_team, 0, NULL, 1, 8, NULL, 0, 0);
    gex_AM_CommitRequestMedium0(sd, hidx_payload, 9);
  }
  if (wants("exit-7")) gasnet_exit(7);
  if (wants("return-9")) exit(9);
}

/* The mistake may be a message that is still under way, so passing a barrier proves nothing: every
   rank polls until the job is ended, or for a time after which nothing can end it any more. No rank
   leaves before all have polled, twice, because a handler's mistake may need an answer. */
static void wait_for_refusal(int milliseconds) {
  for (int round = 0; round < 2; ++round) {
    struct timespec start, now;
    barrier();
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
      gasnet_AMPoll();
      sched_yield();
      clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 <
             milliseconds);
  }
  barrier();
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
  if (wants("query-before-start")) {
    CHECK(gex_System_QueryJobRank() == GEX_RANK_INVALID && gex_System_QueryJobSize() == 0);
    fprintf(stderr, "not refused: %s\n", mistake);
    return 0;
  }
  start_client(&argc, &argv, 1 << 20);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  make_devices();
  barrier();
  if (my_rank == team_size - 1) {
    devices();
    transfers();
    scattered();
    atomics();
    messages();
    teams();
    endpoints();
    collectives();
    order();
  }
  wait_for_refusal(argc > 2 ? atoi(argv[2]) : 5000);
  fprintf(stderr, "not refused: %s\n", mistake);
  gasnet_exit(0);
}
