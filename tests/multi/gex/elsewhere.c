// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks that map the memory of the host at different addresses (occupied.c): inline code leaves
// such transfers to the library, which still does them by loads and stores. The test proves it
// because the other ranks could not answer: while rank 0 transfers, they make no call.
#include "client.h"

#include <gasnet_ratomic.h>

enum { payload, implicit, explicit_event, counter, flag, words };

/* Waits for a word in the own segment without the library. */
static void spin_until_set(int index) {
  volatile uint64_t* const word = (uint64_t*)(void*)my_memory + index;
  while (*word == 0) {
  }
}

static void transfer(gex_Rank_t rank, gex_AD_t sums, uint64_t* far) {
  const uint64_t one = 1;
  uint64_t value = 100 + rank;
  uint64_t back[3] = {0, 0, 0};
  uint64_t old_value = 0;
  gex_RMA_PutBlocking(my_team, rank, far + payload, &value, sizeof value, 0);
  gex_RMA_PutNBI(my_team, rank, far + implicit, &value, sizeof value, GEX_EVENT_NOW, 0);
  gex_NBI_Wait(GEX_EC_PUT, 0);
  gex_Event_Wait(
      gex_RMA_PutNB(my_team, rank, far + explicit_event, &value, sizeof value, GEX_EVENT_NOW, 0));
  gex_RMA_GetBlocking(my_team, back, rank, far, sizeof back, 0);
  CHECK(back[0] == value && back[1] == value && back[2] == value);
  CHECK(gex_RMA_GetBlockingVal(my_team, rank, far + implicit, 8, 0) == value);
  gex_Event_Wait(gex_AD_OpNB_U64(sums, &old_value, rank, far + counter, GEX_OP_FADD, 7, 0, 0));
  CHECK(old_value == 5);
  gex_RMA_PutBlocking(my_team, rank, far + flag, &one, sizeof one, 0);
}

int main(int argc, char** argv) {
  uint64_t* own;
  gex_AD_t sums;
  gex_Rank_t rank;
  start_client(&argc, &argv, 1 << 16);
  gex_AD_Create(&sums, my_team, GEX_DT_U64, GEX_OP_FADD, 0);
  own = (uint64_t*)(void*)my_memory;
  memset(own, 0, sizeof *own * words);
  own[counter] = 5;
  barrier();
  if (my_rank == 0) {
    for (rank = 1; rank < team_size; ++rank) {
      void *owners, *here;
      gex_Event_Wait(gex_EP_QueryBoundSegmentNB(my_team, rank, &owners, &here, NULL, 0));
      CHECK(here != NULL && (here == owners) == (rank % 2 == 0));
      transfer(rank, sums, (uint64_t*)owners);
    }
  } else {
    spin_until_set(flag);
    CHECK(own[payload] == 100 + my_rank && own[implicit] == 100 + my_rank);
    CHECK(own[explicit_event] == 100 + my_rank && own[counter] == 12);
  }
  barrier();
  gex_AD_Destroy(sums);
  finish_client();
}
