/* SPDX-License-Identifier: BSD-3-Clause

   A client for the smp conduit that relies on a property of forked processes: the same library at
   the same address in each rank. UPC++ needs it for objects with virtual bases in shared memory.
 */
#include <gasnet_coll.h>
#include <gasnetex.h>

#include <stdio.h>

int main(void) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  uintptr_t address = (uintptr_t)stdout, first = 0;
  if (gex_Client_Init(&client, &endpoint, &team, "layout", NULL, NULL, 0) != GASNET_OK) return 1;
  gex_Event_Wait(gex_Coll_BroadcastNB(team, 0, &first, &address, sizeof address, 0));
  if (first != address) {
    fprintf(stderr, "rank %u has %p, not %p\n", (unsigned)gex_TM_QueryRank(team), (void*)address,
            (void*)first);
    gasnet_exit(1);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 0) printf("same on %u ranks\n", (unsigned)gex_TM_QuerySize(team));
  gasnet_exit(0);
}
