// SPDX-License-Identifier: BSD-3-Clause
//
// A GASNet-EX client that uses no interface of Atoll's own: each rank puts its number into its
// right neighbour's segment, sends it an active message, and checks both arrivals from the left.

#include <gasnetex.h>
#include <stdint.h>
#include <stdio.h>

enum { GREETING = 200 };

static volatile int greeted_by = -1;

static void on_greeting(gex_Token_t token, gex_AM_Arg_t rank) {
  (void)token;
  greeted_by = (int)rank;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Client_Init(&client, &endpoint, &team, "client", &argc, &argv, 0);

  gex_AM_Entry_t handlers[] = {{GREETING, (gex_AM_Fn_t)on_greeting,
                                GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT, 1, NULL, "greeting"}};
  gex_EP_RegisterHandlers(endpoint, handlers, 1);
  gex_Segment_t segment;
  gex_Segment_Attach(&segment, team, GASNET_PAGESIZE);

  const gex_Rank_t me = gex_TM_QueryRank(team);
  const gex_Rank_t size = gex_TM_QuerySize(team);
  const gex_Rank_t right = (me + 1) % size;
  const int left = (int)((me + size - 1) % size);

  void* remote = NULL;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, right, &remote, NULL, NULL, 0));
  const int64_t number = me;
  gex_RMA_PutBlocking(team, right, remote, &number, sizeof number, 0);
  gex_AM_RequestShort1(team, right, GREETING, 0, (gex_AM_Arg_t)me);

  GASNET_BLOCKUNTIL(greeted_by >= 0);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  const int64_t got = *(int64_t*)gex_Segment_QueryAddr(segment);
  printf("rank %d of %d: %d put %d here\n", (int)me, (int)size, greeted_by, (int)got);
  fflush(stdout);
  if (got != left || greeted_by != left) gasnet_exit(1);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));  // the first to exit ends the job for all
  gasnet_exit(0);
  return 0;
}
