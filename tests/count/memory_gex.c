/* SPDX-License-Identifier: BSD-3-Clause

   A GASNet-EX program that attaches a segment, has barriers and sends no messages. A few of its
   ranks print their private memory. */
#include <gasnetex.h>
#include <tests/count/private_memory.h>

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  gex_Rank_t ranks;
  if (gex_Client_Init(&client, &endpoint, &team, "memory", &argc, &argv, 0) != GASNET_OK) return 1;
  if (gex_Segment_Attach(&segment, team, 65536) != GASNET_OK) return 1;
  ranks = gex_TM_QuerySize(team);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) % (ranks / 16) == 1) tell_private_memory();
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  return 0;
}
