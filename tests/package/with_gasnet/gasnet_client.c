/* SPDX-License-Identifier: BSD-3-Clause

   A typical GASNet-1 client: it knows its conduit by name, puts to the next rank, and rank 0 prints
   its build.
 */
#include <gasnet.h>

#include <stdio.h>
#include <string.h>

#ifndef WANTED_CONDUIT
#error "compile with -DWANTED_CONDUIT=..."
#endif
#define NAME_OF_(conduit) #conduit
#define NAME_OF(conduit) NAME_OF_(conduit)

int main(int argc, char** argv) {
  gasnet_seginfo_t segments[64];
  gasnet_node_t next;
  uint64_t* word;
  if (gasnet_init(&argc, &argv) != GASNET_OK) return 1;
  if (gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK) return 1;
  if (gasnet_nodes() > 64 || gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) != GASNET_OK) {
    return 1;
  }
  next = (gasnet_mynode() + 1) % gasnet_nodes();
  gasnet_put_val(next, segments[next].addr, 1000 + gasnet_mynode(), 8);
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) != GASNET_OK) return 1;
  word = (uint64_t*)segments[gasnet_mynode()].addr;
  if (*word != 1000 + (gasnet_mynode() + gasnet_nodes() - 1) % gasnet_nodes()) return 1;
  if (strcmp(NAME_OF(GASNET_CONDUIT_NAME), NAME_OF(WANTED_CONDUIT)) != 0) return 1;
  if (strcmp(GASNET_CONDUIT_NAME_STR, NAME_OF(WANTED_CONDUIT)) != 0) return 1;
  if (gasnet_mynode() == 0) {
    printf("%s: %u ranks\n", GASNET_CONFIG_STRING, (unsigned)gasnet_nodes());
  }
  gasnet_exit(0);
}
