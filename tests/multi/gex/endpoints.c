/* SPDX-License-Identifier: BSD-3-Clause

   Endpoints beside the primordial one: over memory of the client and of the library, bound,
   published over a team in another order than the ranks, found by queries, reached through pairs
   and through teams of their own by transfers, atomics and messages; what calls return for
   arguments that cannot be; segments that end and make room; as many endpoints as there may be. */
#include "client.h"

#include <gasnet_ratomic.h>

enum { bytes = 1 << 16, hidx_note = 140, hidx_noted, of_client = 0, of_library, unbound, made };

static gex_EP_t endpoints[made];
static gex_Segment_t segments[2];
static char client_memory[bytes];
static unsigned noted, answered;

/* Runs at the endpoint that the message was sent to. */
static void run_note(gex_Token_t token, gex_AM_Arg_t index) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  CHECK(gex_EP_QueryIndex(info.gex_ep) == (gex_EP_Index_t)index);
  COUNT(noted);
  gex_AM_ReplyShort0(token, hidx_noted, 0);
}

static void run_noted(gex_Token_t token) {
  (void)token;
  COUNT(answered);
}

static gex_EP_Index_t index_of(int which) { return gex_EP_QueryIndex(endpoints[which]); }

static void make(void) {
  const gex_EP_Capabilities_t plain = GEX_EP_CAPABILITY_RMA | GEX_EP_CAPABILITY_AM;
  int i;
  CHECK(gex_EP_QueryIndex(my_endpoint) == 0);
  for (i = 0; i < made; ++i) {
    CHECK(gex_EP_Create(&endpoints[i], my_client, i == 0 ? GEX_EP_CAPABILITY_ALL : plain, 0) ==
          GASNET_OK);
    CHECK(index_of(i) == (gex_EP_Index_t)(i + 1));
    CHECK(gex_EP_QueryClient(endpoints[i]) == my_client);
    CHECK(gex_EP_QuerySegment(endpoints[i]) == GEX_SEGMENT_INVALID);
    gex_EP_SetCData(endpoints[i], &noted + i);
    CHECK(gex_EP_QueryCData(endpoints[i]) == &noted + i);
  }
  CHECK(gex_Segment_Create(&segments[of_client], my_client, client_memory, bytes, GEX_MK_HOST, 0) ==
        GASNET_OK);
  CHECK(gex_Segment_Create(&segments[of_library], my_client, NULL, bytes, GEX_MK_HOST, 0) ==
        GASNET_OK);
  for (i = 0; i < 2; ++i) {
    CHECK(gex_EP_BindSegment(endpoints[i], segments[i], 0) == GASNET_OK);
    CHECK(gex_EP_QuerySegment(endpoints[i]) == segments[i]);
    CHECK(gex_Segment_QuerySize(segments[i]) == bytes);
    CHECK(gex_Segment_QueryClient(segments[i]) == my_client);
  }
  CHECK(gex_Segment_QueryAddr(segments[of_client]) == client_memory);
}

static char* own_memory(int which) { return (char*)gex_Segment_QueryAddr(segments[which]); }

/* Before others publish, queries about them find nothing, and outputs do not change. */
static void unknown_before(int which) {
  const gex_TM_t pair = gex_TM_Pair(my_endpoint, index_of(which));
  void* address = &noted;
  uintptr_t size = 77;
  gex_Rank_t i;
  for (i = 0; i < team_size; ++i) {
    if (i == my_rank) continue;
    CHECK(gex_Segment_QueryBound(pair, i, &address, NULL, &size) != GASNET_OK);
    CHECK(address == (void*)&noted && size == 77);
  }
}

static void publish(gex_EP_t* list, size_t count) {
  gex_TM_t reversed;
  CHECK(gex_TM_Split(&reversed, my_team, 0, -(int)my_rank, NULL, 0, 0) == 0);
  CHECK(gex_EP_PublishBoundSegment(reversed, list, count, 0) == GASNET_OK);
  gex_TM_Destroy(reversed, NULL, 0);
}

/* The team under test has the ranks of the job, rotated by this number.
 */
static gex_Rank_t turn;
static gex_Rank_t member(gex_Rank_t jobrank) { return (jobrank + team_size - turn) % team_size; }

/* Where the segment of a rank's endpoint begins, as that rank addresses it. */
static char* published(gex_TM_t tm, gex_Rank_t rank) {
  void *address = NULL, *mapped = NULL;
  uintptr_t size = 0;
  CHECK(gex_Segment_QueryBound(tm, rank, &address, &mapped, &size) == GASNET_OK);
  CHECK(size == bytes && address != NULL);
  if (mapped != NULL && rank == member(my_rank)) CHECK(mapped == address);
  return (char*)address;
}

/* Every rank writes into its place at every rank, short and long, and reads it back. */
static void transfers(gex_TM_t tm, int which, uint32_t seed) {
  enum { place = 4000 };
  static char got[place];
  static char sent[place];
  gex_Rank_t i;
  CHECK(published(tm, member(my_rank)) == own_memory(which));
  for (i = 0; i < team_size; ++i) {
    char* const remote = published(tm, member(i)) + place * my_rank;
    fill(sent, place, seed + 100 * my_rank + i);
    gex_Event_Wait(gex_RMA_PutNB(tm, member(i), remote, sent, place, GEX_EVENT_NOW, 0));
    gex_RMA_GetBlocking(tm, got, member(i), remote, place, 0);
    CHECK(memcmp(got, sent, place) == 0);
    CHECK(gex_RMA_PutBlockingVal(tm, member(i), remote, 0x1234u + i, 4, 0) == 0);
    CHECK(gex_RMA_GetBlockingVal(tm, member(i), remote, 4, 0) == 0x1234u + i);
  }
  barrier();
  for (i = 0; i < team_size; ++i) {
    const char* const local = own_memory(which) + place * i;
    fill(sent, place, seed + 100 * i + my_rank);
    CHECK(memcmp(local + 4, sent + 4, place - 4) == 0);
  }
  barrier();
}

/* Counters in the segment of a team of endpoints: all ranks add to all. */
static void atomics(gex_TM_t tm, int which) {
  gex_AD_t numbers;
  gex_Rank_t i;
  uint64_t* const counter = (uint64_t*)(void*)own_memory(which);
  *counter = 0;
  gex_AD_Create(&numbers, tm, GEX_DT_U64, GEX_OP_ADD | GEX_OP_FADD, 0);
  barrier();
  for (i = 0; i < team_size; ++i) {
    uint64_t old_value = 0;
    gex_Event_Wait(
        gex_AD_OpNB_U64(numbers, NULL, member(i), published(tm, member(i)), GEX_OP_ADD, 3, 0, 0));
    gex_Event_Wait(gex_AD_OpNB_U64(numbers, &old_value, member(i), published(tm, member(i)),
                                   GEX_OP_FADD, 4, 0, 0));
    CHECK(old_value >= 3);
  }
  barrier();
  gex_AD_Destroy(numbers);
  CHECK(*counter == 7 * (uint64_t)team_size);
}

/* Messages to an endpoint of each index, which has its own handlers. */
static void messages(gex_TM_t tm, gex_EP_Index_t to) {
  const unsigned noted_before = READ(noted), answered_before = READ(answered);
  gex_Rank_t i;
  barrier();
  for (i = 0; i < team_size; ++i) gex_AM_RequestShort1(tm, i, hidx_note, 0, to);
  GASNET_BLOCKUNTIL(READ(answered) - answered_before == team_size);
  barrier();
  GASNET_BLOCKUNTIL(READ(noted) - noted_before == team_size);
  barrier();
}

/* A team of the endpoints of one index, in the order of ranks rotated by one. */
static void team_of_endpoints(int which) {
  gex_EP_Location_t list[64];
  gex_TM_t tm;
  gex_Rank_t i;
  for (i = 0; i < team_size; ++i) {
    list[i].gex_rank = (i + 1) % team_size;
    list[i].gex_ep_index = index_of(which);
  }
  CHECK(gex_TM_Create(&tm, 1, my_team, list, team_size, NULL, 0, GEX_FLAG_TM_NO_SCRATCH) == 0);
  CHECK(gex_TM_QueryEP(tm) == endpoints[which]);
  turn = 1;
  CHECK(gex_TM_TranslateRankToEP(tm, 0, 0).gex_ep_index == index_of(which));
  transfers(tm, which, 5000);
  atomics(tm, which);
  messages(tm, index_of(which));
  turn = 0;
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
  gex_TM_Destroy(tm, NULL, 0);
}

/* An impossible request is refused by an error code, and changes nothing. */
static void refused(void) {
  gex_EP_t ep = GEX_EP_INVALID;
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  const gex_EP_Capabilities_t no_capability = 0;
  const gex_EP_Capabilities_t unknown = ~(gex_EP_Capabilities_t)0;
  gex_System_SetVerboseErrors(0);
  CHECK(gex_EP_Create(&ep, my_client, no_capability, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gex_EP_Create(&ep, my_client, unknown, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gex_EP_Create(NULL, my_client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gex_Segment_Create(&segment, my_client, NULL, 0, GEX_MK_HOST, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gex_Segment_Create(&segment, my_client, NULL, 64, GEX_MK_INVALID, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gex_Segment_Create(&segment, my_client, NULL, (uintptr_t)1 << 60, GEX_MK_HOST, 0) ==
        GASNET_ERR_RESOURCE);
  CHECK(gex_EP_BindSegment(endpoints[of_client], segments[of_library], 0) == GASNET_ERR_BAD_ARG);
  CHECK(gex_EP_BindSegment(endpoints[unbound], GEX_SEGMENT_INVALID, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gex_EP_BindSegment(my_endpoint, segments[of_library], 0) == GASNET_ERR_BAD_ARG);
  gex_System_SetVerboseErrors(1);
  CHECK(ep == GEX_EP_INVALID && segment == GEX_SEGMENT_INVALID);
  CHECK(gex_EP_QuerySegment(endpoints[of_client]) == segments[of_client]);
}

/* Segments that come and go, far more of them than fit at once. */
static void create_and_destroy(void) {
  const uintptr_t large = (uintptr_t)8 << 20;
  int i;
  for (i = 0; i < 3000; ++i) {
    gex_Segment_t segment;
    CHECK(gex_Segment_Create(&segment, my_client, NULL, large, GEX_MK_HOST, 0) == GASNET_OK);
    CHECK(gex_EP_BindSegment(endpoints[unbound], segment, 0) == GASNET_OK);
    gex_Segment_Destroy(segment, 0);
    CHECK(gex_EP_QuerySegment(endpoints[unbound]) == GEX_SEGMENT_INVALID);
  }
}

/* An endpoint whose segment has ended takes another, which is then the one that others reach. */
static void another_segment(void) {
  barrier();
  gex_Segment_Destroy(segments[of_client], 0);
  CHECK(gex_Segment_Create(&segments[of_client], my_client, NULL, bytes, GEX_MK_HOST, 0) ==
        GASNET_OK);
  CHECK(gex_EP_BindSegment(endpoints[of_client], segments[of_client], 0) == GASNET_OK);
  publish(endpoints, 1);
  transfers(gex_TM_Pair(my_endpoint, index_of(of_client)), of_client, 9000);
}

static void as_many_as_there_may_be(void) {
  gex_EP_t last = GEX_EP_INVALID, more = GEX_EP_INVALID;
  int i;
  for (i = made + 1; i < GASNET_MAXEPS; ++i) {
    CHECK(gex_EP_Create(&last, my_client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
    CHECK(gex_EP_QueryIndex(last) == (gex_EP_Index_t)i);
  }
  gex_System_SetVerboseErrors(0);
  CHECK(gex_EP_Create(&more, my_client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_ERR_RESOURCE);
  gex_System_SetVerboseErrors(1);
  CHECK(more == GEX_EP_INVALID);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {{hidx_note, (gex_AM_Fn_t)run_note,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "run_note"},
                            {hidx_noted, (gex_AM_Fn_t)run_noted,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "run_noted"}};
  int i;
  start_client(&argc, &argv, GASNET_PAGESIZE);
  make();
  unknown_before(of_client);
  unknown_before(of_library);
  for (i = 0; i < made; ++i) {
    CHECK(gex_EP_RegisterHandlers(endpoints[i], table, 2) == GASNET_OK);
  }
  barrier();
  publish(my_rank % 2 ? endpoints : NULL, my_rank % 2 ? made : 0);
  publish(my_rank % 2 ? NULL : endpoints, my_rank % 2 ? 0 : made); /* the others' turn */
  unknown_before(unbound);
  for (i = 0; i < 2; ++i) {
    transfers(gex_TM_Pair(my_endpoint, index_of(i)), i, 1000);
    transfers(gex_TM_Pair(endpoints[unbound], index_of(i)), i, 2000);
    team_of_endpoints(i);
  }
  for (i = 0; i < made; ++i) messages(gex_TM_Pair(endpoints[i], index_of(i)), index_of(i));
  refused();
  create_and_destroy();
  another_segment();
  as_many_as_there_may_be();
  finish_client();
}
