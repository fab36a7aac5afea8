/* SPDX-License-Identifier: BSD-3-Clause

   The common part of all GASNet-1 programs of these tests: start and attach, a check that ends the
   job with the place and the rank, and the end. C99 that is C++ too. It uses nothing of GASNet-EX.
 */
#ifndef TESTS_MULTI_GEX_GASNET1_CLIENT_H
#define TESTS_MULTI_GEX_GASNET1_CLIENT_H

#include <gasnet.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "rank %u: %s:%d: %s\n", (unsigned)gasnet_mynode(), __FILE__, __LINE__, \
              #condition);                                                                   \
      gasnet_exit(1);                                                                        \
    }                                                                                        \
  } while (0)

#define COUNT(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELEASE))
#define READ(counter) __atomic_load_n(&(counter), __ATOMIC_ACQUIRE)

static gasnet_seginfo_t* segments; /* of all ranks */

static inline void barrier(void) {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
}

static inline void learn_segments(void) {
  segments = (gasnet_seginfo_t*)calloc(gasnet_nodes(), sizeof *segments);
  CHECK(gasnet_getSegmentInfo(segments, (int)gasnet_nodes()) == GASNET_OK);
}

static inline void start_gasnet1(int* argc, char*** argv, gasnet_handlerentry_t* table, int entries,
                                 uintptr_t bytes) {
  CHECK(gasnet_init(argc, argv) == GASNET_OK);
  CHECK(gasnet_attach(table, entries, bytes, 0) == GASNET_OK);
  learn_segments();
}

static inline char* memory_of(gasnet_node_t node) { return (char*)segments[node].addr; }

static inline gasnet_node_t next_node(void) { return (gasnet_mynode() + 1) % gasnet_nodes(); }

static inline void finish(void) {
  barrier();
  free(segments);
  gasnet_exit(0);
}

#endif
