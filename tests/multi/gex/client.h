/* SPDX-License-Identifier: BSD-3-Clause

   The common part of all client programs of these tests: the start, the objects, a check that ends
   the job with the place and the rank, and the end. Plain C99 that is C++ too, since every program
   here is compiled as both. One program tests one chapter, and exits with code 0 only when all
   ranks agree.
 */
#ifndef TESTS_MULTI_GEX_CLIENT_H
#define TESTS_MULTI_GEX_CLIENT_H

#include <gasnetex.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gex_Client_t my_client;
static gex_EP_t my_endpoint;
static gex_TM_t my_team;
static gex_Segment_t my_segment;
static gex_Rank_t my_rank;
static gex_Rank_t team_size;
static char* my_memory; /* the attached segment */

#define CHECK(condition)                                                                          \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      fprintf(stderr, "rank %u: %s:%d: %s\n", (unsigned)my_rank, __FILE__, __LINE__, #condition); \
      gasnet_exit(1);                                                                             \
    }                                                                                             \
  } while (0)

/* Counters that handlers change and others read; a progress thread may run a handler. */
#define COUNT(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELEASE))
#define READ(counter) __atomic_load_n(&(counter), __ATOMIC_ACQUIRE)

static inline void barrier(void) { gex_Event_Wait(gex_Coll_BarrierNB(my_team, 0)); }

/* Whether the memory of a rank is mapped here. */
static inline int is_near(gex_Rank_t rank) {
  gex_RankInfo_t* near = NULL;
  gex_Rank_t count = 0, i;
  gex_System_QueryNbrhdInfo(&near, &count, NULL);
  for (i = 0; i < count; ++i) {
    if (near[i].gex_jobrank == rank) return 1;
  }
  return 0;
}

/* Starts the client with a segment of this size on every rank. */
static inline void start_client(int* argc, char*** argv, uintptr_t segment_bytes) {
  CHECK(gex_Client_Init(&my_client, &my_endpoint, &my_team, "TEST", argc, argv, 0) == GASNET_OK);
  CHECK(gex_Segment_Attach(&my_segment, my_team, segment_bytes) == GASNET_OK);
  my_rank = gex_TM_QueryRank(my_team);
  team_size = gex_TM_QuerySize(my_team);
  my_memory = (char*)gex_Segment_QueryAddr(my_segment);
}

static inline void finish_client(void) {
  barrier();
  gasnet_exit(0);
}

/* Where the segment of a rank begins, as that rank addresses it. */
static inline char* memory_of(gex_Rank_t rank) {
  void* address = NULL;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(my_team, rank, &address, NULL, NULL, 0));
  return (char*)address;
}

/* The same numbers on every rank, and other numbers for every seed. */
static inline uint32_t mixed(uint32_t seed) {
  uint32_t x = seed * 2654435761u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return x;
}

static inline void fill(char* buffer, size_t bytes, uint32_t seed) {
  size_t i;
  for (i = 0; i < bytes; ++i) buffer[i] = (char)mixed(seed + (uint32_t)i);
}

static inline int filled(const char* buffer, size_t bytes, uint32_t seed) {
  size_t i;
  for (i = 0; i < bytes; ++i) {
    if (buffer[i] != (char)mixed(seed + (uint32_t)i)) return 0;
  }
  return 1;
}

#endif
