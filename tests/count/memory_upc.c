/* SPDX-License-Identifier: BSD-3-Clause

   A UPC program, as C that a translator has made of it, that meets at barriers and talks to nobody.
   A few of its threads tell their private memory. */
#include <atoll_upc/emitted.h>
#include <tests/count/private_memory.h>
#include <upc.h>

int atoll_upc_program(int count, char** words) {
  (void)count;
  (void)words;
  atoll_upc_barrier(0, 0);
  if (atoll_upc_mythread % (ATOLL_UPC_THREADS / 16) == 1) tell_private_memory();
  atoll_upc_barrier(0, 0);
  return 0;
}
