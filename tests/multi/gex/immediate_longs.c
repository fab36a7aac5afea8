/* SPDX-License-Identifier: BSD-3-Clause

   An immediate long that is refused has done nothing: the bytes at its destination have not
   changed. All ranks but the first send growing numbers to their slots on rank 0, which rarely
   polls, so that they compete for little room. With client buffers and with prepared ones. */
#include "client.h"

enum { hidx_number = 200, numbers = 20000 };

static gex_Rank_t senders_left;

static void take_number(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t is_last) {
  uint64_t number;
  (void)token;
  memcpy(&number, payload, bytes);
  CHECK(number <= numbers);
  if (is_last) __atomic_fetch_sub(&senders_left, 1, __ATOMIC_RELEASE);
}

static int send_number(uint64_t* number, uint64_t* slot, int prepared) {
  const int is_last = *number == numbers;
  gex_AM_SrcDesc_t sd;
  if (!prepared) {
    return gex_AM_RequestLong1(my_team, 0, hidx_number, number, 8, slot, GEX_EVENT_NOW,
                               GEX_FLAG_IMMEDIATE, is_last);
  }
  sd = gex_AM_PrepareRequestLong(my_team, 0, number, 8, 8, slot, GEX_EVENT_NOW, GEX_FLAG_IMMEDIATE,
                                 1);
  if (sd == GEX_AM_SRCDESC_NO_OP) return 1;
  if (gex_AM_CommitRequestLong_v2(sd, hidx_number, 8, slot, GEX_FLAG_IMMEDIATE, is_last) == 0)
    return 0;
  gex_AM_CancelRequestLong(sd, 0);
  return 1;
}

static void send_all(void) {
  uint64_t* const slot = (uint64_t*)memory_of(0) + 8 * my_rank;
  uint64_t number;
  for (number = 1; number <= numbers; ++number) {
    while (send_number(&number, slot, number % 2 == 0) != 0) {
      const uint64_t remote_value = gex_RMA_GetBlockingVal(my_team, 0, slot, 8, 0);
      CHECK(remote_value == number - 1);
      gasnet_AMPoll();
    }
  }
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {{hidx_number, (gex_AM_Fn_t)take_number,
                             GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1, NULL, "take_number"}};
  start_client(&argc, &argv, GASNET_PAGESIZE);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, 1) == GASNET_OK);
  senders_left = team_size - 1;
  memset(my_memory, 0, GASNET_PAGESIZE);
  barrier();
  if (my_rank != 0) {
    send_all();
  } else {
    while (READ(senders_left) != 0) gasnet_AMPoll();
  }
  finish_client();
}
