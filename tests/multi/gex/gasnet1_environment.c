/* SPDX-License-Identifier: BSD-3-Clause

   Tests the effect of GASNet's environment variables on a client; the first argument says what to
   look at, and the test sets the variables.
 */
#ifndef _GNU_SOURCE
#define _POSIX_C_SOURCE 200809L /* setenv */
#endif
#include "gasnet1_client.h"

#include <pthread.h>
#include <sched.h>

extern volatile int atoll_gex_frozen; /* a debugger would set it */

static void* thaw(void* unused) {
  while (!__atomic_load_n(&atoll_gex_frozen, __ATOMIC_RELAXED)) sched_yield();
  __atomic_store_n(&atoll_gex_frozen, 0, __ATOMIC_RELAXED);
  return unused;
}

int main(int argc, char** argv) {
  const char* const scenario = argc > 1 ? argv[1] : "";
  const int is_frozen = strcmp(scenario, "freeze") == 0;
  uintptr_t most;
  pthread_t debugger;
  if (is_frozen) CHECK(pthread_create(&debugger, NULL, thaw, NULL) == 0);
  if (strcmp(scenario, "own") == 0) {
    CHECK(setenv("GASNET_PHYSMEM_PROBE", "0", 1) == 0); /* has no effect and gives no warning */
    CHECK(setenv("GASNET_MAX_THREADS", "7", 1) == 0);
  }
  CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
  if (strcmp(scenario, "own") == 0) CHECK(gex_System_QueryMaxThreads() == 7);
  if (is_frozen) CHECK(pthread_join(debugger, NULL) == 0);
  most = gasnet_getMaxLocalSegmentSize();
  if (strcmp(scenario, "segment") == 0) {
    gex_System_SetVerboseErrors(0);
    CHECK(most == (1 << 20) && gasnet_getMaxGlobalSegmentSize() == most);
    CHECK(gasnet_attach(NULL, 0, most + GASNET_PAGESIZE, 0) == GASNET_ERR_RESOURCE);
    CHECK(gasnet_attach(NULL, 0, most, 0) == GASNET_OK);
  } else {
    CHECK(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) == GASNET_OK);
  }
  if (strcmp(scenario, "threads") == 0) CHECK(gex_System_QueryMaxThreads() == 5);
  if (strcmp(scenario, "ranks") == 0) {
    CHECK(gasnet_nodes() == 3);
    CHECK(argc == 3 && strcmp(argv[2], "and one more") == 0);
  }
  gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
  if (gasnet_mynode() == gasnet_nodes() - 1) {
    printf("all %u ranks agree\n", (unsigned)gasnet_nodes());
  }
  gasnet_exit(0);
}
