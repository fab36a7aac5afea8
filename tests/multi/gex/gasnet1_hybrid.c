/* SPDX-License-Identifier: BSD-3-Clause

   A client in transition: started by GASNet-EX with GEX_FLAG_USES_GASNET1, it makes calls of both
   interfaces on the same objects. A handle of one is an event of the other.
 */
#include "client.h"

#include <gasnet.h>

static int arrived;

static void run_count(gex_Token_t token, gex_AM_Arg_t a, gex_AM_Arg_t b) {
  gasnet_node_t source;
  CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK && source < team_size);
  CHECK(a == 1 && b == 2);
  COUNT(arrived);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t entry = {0, (gex_AM_Fn_t)run_count, 0, 2, NULL, "run_count"};
  gasnet_handle_t handle;
  gex_Rank_t to;
  uint64_t value = 0;
  entry.gex_flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST;
  CHECK(gex_Client_Init(&my_client, &my_endpoint, &my_team, "TEST", &argc, &argv,
                        GEX_FLAG_USES_GASNET1) == GASNET_OK);
  gex_System_SetVerboseErrors(0);
  CHECK(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) == GASNET_ERR_NOT_INIT);
  CHECK(gex_Segment_Attach(&my_segment, my_team, 4 * GASNET_PAGESIZE) == GASNET_OK);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, &entry, 1) == GASNET_OK);
  my_rank = gasnet_mynode();
  team_size = gasnet_nodes();
  barrier();
  to = (my_rank + 1) % team_size;
  handle = gasnet_put_nb_val(to, memory_of(to), 41 + my_rank, 8);
  gex_Event_Wait(handle);
  gasnet_wait_syncnb(gex_RMA_PutNBVal(my_team, to, memory_of(to) + 8, 42 + my_rank, 8, 0));
  gasnet_get(&value, to, memory_of(to) + 8, 8);
  CHECK(value == 42 + my_rank && gasnet_get_val(to, memory_of(to), 8) == 41 + my_rank);
  CHECK(gasnet_AMRequestShort2(to, entry.gex_index, 1, 2) == GASNET_OK);
  CHECK(gex_AM_RequestShort2(my_team, to, entry.gex_index, 0, 1, 2) == GASNET_OK);
  GASNET_BLOCKUNTIL(READ(arrived) == 2);
  finish_client();
  return 0;
}
