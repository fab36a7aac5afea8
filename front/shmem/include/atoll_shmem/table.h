/* SPDX-License-Identifier: BSD-3-Clause

   The part of the library that inline code reads (atoll_shmem/direct.h): the two ranges of
   symmetric addresses of this PE, each with the routes to the same range of other PEs, and where
   PEs tell that they sleep. The library fills the table at initialization and empties it at
   finalization. Its layout is part of what programs contain: when it changes, so does the number
   in the symbol's name, and a program that was compiled with another layout is not loaded. */
#ifndef ATOLL_SHMEM_TABLE_H
#define ATOLL_SHMEM_TABLE_H

#include <atoll/abi.h>

struct atoll_shmem_range {
  uintptr_t base;
  size_t bytes;
  const atoll_route* routes;
};

/* A PE that sleeps in a wait has set this bit of its word. */
enum { ATOLL_SHMEM_ASLEEP = 1 };

struct atoll_shmem_table {
  struct atoll_shmem_range heap;
  struct atoll_shmem_range data;
  unsigned pes;         /* 0: all calls go to the library */
  unsigned fetched_pes; /* the same for calls that fetch; 0 also where PEs share cores */
  const char* asleep; /* the word of PE 0; there are words of the PEs that loads and stores reach */
  size_t asleep_stride;
};

#ifdef __cplusplus
extern "C" {
#endif
extern struct atoll_shmem_table atoll_shmem_direct __asm__("atoll_shmem_direct_3");

/* Wakes a PE of the world that sleeps in a wait. */
void atoll_shmem_wake(int pe);

#define ATOLL_SHMEM_ALWAYS extern inline __attribute__((gnu_inline, always_inline))

/* Wakes a PE of the world whose memory was just changed, where it sleeps. */
ATOLL_SHMEM_ALWAYS void atoll_shmem_changed(int pe) {
  const struct atoll_shmem_table* const table = &atoll_shmem_direct;
  const char* const word = table->asleep + table->asleep_stride * (size_t)pe;
  ATOLL_ORDER();
  if (!ATOLL_LIKELY((__atomic_load_n((const uint32_t*)(const void*)word, __ATOMIC_RELAXED) &
                     ATOLL_SHMEM_ASLEEP) == 0)) {
    atoll_shmem_wake(pe);
  }
}

#ifdef __cplusplus
}
#endif

#endif
