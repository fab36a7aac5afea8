/* SPDX-License-Identifier: BSD-3-Clause

   Tests what the objects say about themselves: client, endpoint, segments of all ranks, teams and
   pairs, the neighbourhood, limits, versions, error names, registration with fixed and free
   indices, locks, and the calls that must refuse an argument with an error code. */
#include "client.h"

#include <gasnet_coll.h>

static void short_handler(gex_Token_t token) { (void)token; }

static void objects(void) {
  int data[4];
  CHECK(strcmp(gex_Client_QueryName(my_client), "TEST") == 0);
  CHECK(gex_Client_QueryFlags(my_client) == 0);
  CHECK(gex_EP_QueryClient(my_endpoint) == my_client);
  CHECK(gex_EP_QueryIndex(my_endpoint) == 0 && gex_EP_QueryFlags(my_endpoint) == 0);
  CHECK(gex_EP_QuerySegment(my_endpoint) == my_segment);
  CHECK(gex_Segment_QueryClient(my_segment) == my_client);
  CHECK(gex_Segment_QueryFlags(my_segment) == 0);
  CHECK(gex_TM_QueryClient(my_team) == my_client && gex_TM_QueryEP(my_team) == my_endpoint);
  CHECK(gex_TM_QueryFlags(my_team) == 0);
  CHECK(gex_Client_QueryCData(my_client) == NULL && gex_EP_QueryCData(my_endpoint) == NULL);
  CHECK(gex_TM_QueryCData(my_team) == NULL && gex_Segment_QueryCData(my_segment) == NULL);
  gex_Client_SetCData(my_client, &data[0]);
  gex_EP_SetCData(my_endpoint, &data[1]);
  gex_TM_SetCData(my_team, &data[2]);
  gex_Segment_SetCData(my_segment, &data[3]);
  CHECK(gex_Client_QueryCData(my_client) == &data[0]);
  CHECK(gex_EP_QueryCData(my_endpoint) == &data[1]);
  CHECK(gex_TM_QueryCData(my_team) == &data[2]);
  CHECK(gex_Segment_QueryCData(my_segment) == &data[3]);
}

static void segments(uintptr_t bytes) {
  gex_TM_t pair = gex_TM_Pair(my_endpoint, 0);
  gex_Rank_t i;
  CHECK(gex_Segment_QuerySize(my_segment) == bytes);
  CHECK((uintptr_t)my_memory % GASNET_PAGESIZE == 0);
  CHECK(pair != my_team && pair == gex_TM_Pair(my_endpoint, 0));
  for (i = 0; i < team_size; ++i) {
    void *owner = NULL, *local = NULL, *owner_again = NULL;
    uintptr_t size = 0;
    CHECK(gex_EP_QueryBoundSegmentNB(my_team, i, &owner, &local, &size, GEX_FLAG_IMMEDIATE) ==
          GEX_EVENT_INVALID);
    CHECK(size == bytes + (uintptr_t)GASNET_PAGESIZE * i - (uintptr_t)GASNET_PAGESIZE * my_rank);
    CHECK(owner != NULL && (local != NULL) == is_near(i));
    CHECK(gex_Segment_QueryBound(pair, i, &owner_again, NULL, NULL) == GASNET_OK);
    CHECK(owner_again == owner);
    if (i == my_rank) CHECK(owner == my_memory && local == my_memory);
    gex_RMA_PutBlockingVal(my_team, i, (char*)owner + 8 * my_rank, my_rank + 1, 8, 0);
    CHECK(gex_RMA_GetBlockingVal(my_team, i, (char*)owner + 8 * my_rank, 8, 0) == my_rank + 1);
    /* The local address, where there is one, shows the same memory. */
    CHECK(local == NULL || ((volatile uint64_t*)local)[my_rank] == my_rank + 1);
  }
  CHECK(gex_EP_PublishBoundSegment(my_team, &my_endpoint, 1, 0) == GASNET_OK);
  CHECK(gasnet_getMaxLocalSegmentSize() >= bytes);
  CHECK(gasnet_getMaxGlobalSegmentSize() <= gasnet_getMaxLocalSegmentSize());
}

static void positions(void) {
  gex_RankInfo_t *near = NULL, *host = NULL;
  gex_Rank_t near_count = 0, host_count = 0, my_index = 0, i;
  gex_Rank_t sets[4];
  CHECK(gex_System_QueryJobRank() == my_rank && gex_System_QueryJobSize() == team_size);
  gex_System_QueryNbrhdInfo(&near, &near_count, &my_index);
  CHECK(near_count >= 1 && near_count <= team_size && near[my_index].gex_jobrank == my_rank);
  for (i = 1; i < near_count; ++i) CHECK(near[i - 1].gex_jobrank < near[i].gex_jobrank);
  gex_System_QueryHostInfo(&host, &host_count, NULL);
  CHECK(host_count >= near_count && host_count <= team_size && host != NULL);
  gex_System_QueryMyPosition(&sets[0], &sets[1], &sets[2], &sets[3]);
  CHECK(sets[1] < sets[0] && sets[3] < sets[2]);
  for (i = 0; i < team_size; ++i) {
    const gex_EP_Location_t location = gex_TM_TranslateRankToEP(my_team, i, 0);
    CHECK(location.gex_rank == i && location.gex_ep_index == 0);
    CHECK(gex_TM_TranslateRankToJobrank(my_team, i) == i);
    CHECK(gex_TM_TranslateJobrankToRank(my_team, i) == i);
  }
}

static void limits(void) {
  unsigned args;
  gex_Rank_t i;
  CHECK(gex_AM_MaxArgs() == 16);
  for (i = 0; i < team_size; ++i) {
    for (args = 0; args <= 16; ++args) {
      CHECK(gex_AM_MaxRequestMedium(my_team, i, NULL, 0, args) >= gex_AM_LUBRequestMedium());
      CHECK(gex_AM_MaxReplyMedium(my_team, i, NULL, 0, args) >= gex_AM_LUBReplyMedium());
      CHECK(gex_AM_MaxRequestLong(my_team, i, NULL, 0, args) >= gex_AM_LUBRequestLong());
      CHECK(gex_AM_MaxReplyLong(my_team, i, NULL, 0, args) >= gex_AM_LUBReplyLong());
    }
  }
  CHECK(gex_AM_LUBRequestMedium() >= 65536 && gex_AM_LUBReplyMedium() >= 65536);
  CHECK(gex_AM_LUBRequestLong() >= gex_Segment_QuerySize(my_segment));
  CHECK(gex_System_QueryMaxThreads() >= 1);
  CHECK(gex_System_QueryHiddenAMConcurrencyLevel() <= GASNET_HIDDEN_AM_CONCURRENCY_LEVEL);
}

static void words(void) {
  CHECK(GEX_SPEC_VERSION_MAJOR == 0 && GEX_SPEC_VERSION_MINOR == 19);
  CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_BAD_ARG), "GASNET_ERR_BAD_ARG") == 0);
  CHECK(strlen(gasnet_ErrorDesc(GASNET_ERR_RESOURCE)) > 0);
  CHECK(gasnet_getenv("ATOLL_NO_SUCH_VARIABLE") == NULL);
  CHECK(gasnet_getenv("PATH") != NULL && strcmp(gasnet_getenv("PATH"), getenv("PATH")) == 0);
  CHECK(strstr(GASNET_CONFIG_STRING, "THREADMODEL=SEQ") != NULL);
  CHECK(gasnet_set_waitmode(GASNET_WAIT_BLOCK) == GASNET_OK);
  GASNET_BEGIN_FUNCTION();
  GASNET_POST_THREADINFO(GASNET_GET_THREADINFO());
}

static void registration(void) {
  const gex_Flags_t flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQREP;
  gex_AM_Fn_t run = (gex_AM_Fn_t)short_handler;
  gex_AM_Entry_t free_ones[] = {{0, run, flags, 0, NULL, NULL},
                                {255, run, flags, 0, NULL, NULL},
                                {0, run, flags, 0, NULL, NULL}};
  gex_AM_Entry_t wrong = {100, run, flags, 0, NULL, NULL};
  CHECK(gex_EP_RegisterHandlers(my_endpoint, free_ones, 3) == GASNET_OK);
  CHECK(free_ones[0].gex_index == 254 && free_ones[1].gex_index == 255);
  CHECK(free_ones[2].gex_index == 253);
  gex_System_SetVerboseErrors(0);
  CHECK(gex_System_GetVerboseErrors() == 0);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, &wrong, 1) == GASNET_ERR_BAD_ARG);
  wrong.gex_index = 254; /* taken */
  CHECK(gex_EP_RegisterHandlers(my_endpoint, &wrong, 1) == GASNET_ERR_BAD_ARG);
  wrong.gex_index = 0;
  wrong.gex_flags = GEX_FLAG_AM_REQREP; /* no category */
  CHECK(gex_EP_RegisterHandlers(my_endpoint, &wrong, 1) == GASNET_ERR_BAD_ARG);
  wrong.gex_flags = flags;
  wrong.gex_nargs = 17;
  CHECK(gex_EP_RegisterHandlers(my_endpoint, &wrong, 1) == GASNET_ERR_BAD_ARG);
}

static void refusals(void) {
  const gex_ProgressThreadInfo_t* info;
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  unsigned count;
  CHECK(gex_Client_Init(&client, &endpoint, &team, "AGAIN", NULL, NULL, 0) != GASNET_OK);
  CHECK(gex_Segment_Attach(&my_segment, my_team, GASNET_PAGESIZE) != GASNET_OK);
  CHECK(gex_System_QueryProgressThreads(my_client, &count, &info, 0) == GASNET_ERR_RESOURCE);
  CHECK(gex_System_QueryProgressThreads(my_client, NULL, &info, 0) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_set_waitmode(17) == GASNET_ERR_BAD_ARG);
  gex_System_SetVerboseErrors(1);
}

static void locks(void) {
  static gex_HSL_t lock = GEX_HSL_INITIALIZER;
  gex_HSL_t other;
  gex_HSL_Init(&other);
  CHECK(gex_HSL_Trylock(&lock) == GASNET_OK);
  CHECK(gex_HSL_Trylock(&lock) == GASNET_ERR_NOT_READY);
  gex_HSL_Lock(&other);
  gex_HSL_Unlock(&lock);
  gex_HSL_Unlock(&other);
  gex_HSL_Lock(&lock);
  gex_HSL_Unlock(&lock);
  gex_HSL_Destroy(&other);
}

/* One rank requests too much memory, or an invalid size: all get the error, and may try again. */
static void attach_too_much(void) {
  const uintptr_t too_much = (uintptr_t)1 << 46;
  gex_System_SetVerboseErrors(0);
  CHECK(gex_Segment_Attach(&my_segment, my_team, my_rank == 0 ? too_much : 65536) ==
        GASNET_ERR_RESOURCE);
  CHECK(gex_Segment_Attach(&my_segment, my_team, my_rank == 0 ? 1 : 65536) ==
        (my_rank == 0 ? GASNET_ERR_BAD_ARG : GASNET_ERR_RESOURCE));
  CHECK(gex_EP_QuerySegment(my_endpoint) == GEX_SEGMENT_INVALID);
  gex_System_SetVerboseErrors(1);
}

int main(int argc, char** argv) {
  gex_Client_t* const nothing = NULL;
  uintptr_t bytes = 1 << 20;
  gex_System_SetVerboseErrors(0);
  CHECK(gex_Client_Init(nothing, NULL, NULL, "TEST", NULL, NULL, 0) == GASNET_ERR_BAD_ARG);
  gex_System_SetVerboseErrors(1);
  CHECK(gex_Client_Init(&my_client, &my_endpoint, &my_team, "TEST", &argc, &argv, 0) == GASNET_OK);
  my_rank = gex_TM_QueryRank(my_team);
  team_size = gex_TM_QuerySize(my_team);
  CHECK(gex_EP_QuerySegment(my_endpoint) == GEX_SEGMENT_INVALID);
  CHECK(gex_Segment_QueryBound(my_team, 0, NULL, NULL, NULL) != GASNET_OK);
  attach_too_much();
  bytes += (uintptr_t)GASNET_PAGESIZE * my_rank; /* another size on every rank */
  CHECK(gex_Segment_Attach(&my_segment, my_team, bytes) == GASNET_OK);
  my_memory = (char*)gex_Segment_QueryAddr(my_segment);
  objects();
  segments(bytes);
  positions();
  limits();
  words();
  registration();
  refusals();
  locks();
  finish_client();
}
