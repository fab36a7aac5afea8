/* SPDX-License-Identifier: BSD-3-Clause

   The part of the library that inline code reads (atoll_shmem/direct.h): the beginnings of the two
   ranges of symmetric addresses of this PE, and a row for each PE. A row has the addresses at which
   this process sees the same ranges of that PE, and the word by which the PE tells that it sleeps.
   It fills a cache line. The library fills the table at initialization and empties it at
   finalization. Its layout is part of programs: when it changes, so does the first number in the
   symbol's name; the second is that of abi.h, of which inline code uses parts. A program that was
   compiled with other numbers is not loaded, and the message names the symbol. */
#ifndef ATOLL_SHMEM_TABLE_H
#define ATOLL_SHMEM_TABLE_H

#include <atoll/abi.h>

/* A row. `heap_places` is the number of offsets at which loads and stores reach 8 bytes of the PE's
   heap, 0 where they reach none; `data_places` is the same for its static variables. So one
   comparison decides whether an address of this PE lies in the range and is reached in the other
   PE's. A PE that is lost (in a program with coarrays, where the job goes on) keeps its row: its
   memory stays until the job ends. */
struct atoll_shmem_row {
  char* heap;
  size_t heap_places;
  char* data;
  size_t data_places;
  const char* asleep; /* a word; null for a PE of another host */
  int pe;
} __attribute__((__aligned__(64)));

/* A PE that sleeps in a wait has set this bit of its word. */
enum { ATOLL_SHMEM_ASLEEP = 1 };

struct atoll_shmem_table {
  uintptr_t heap; /* this PE's addresses of both ranges */
  uintptr_t data;
  const struct atoll_shmem_row* rows;
  unsigned pes;         /* 0: all calls go to the library */
  unsigned fetched_pes; /* the same for calls that fetch; 0 also where PEs share cores */
};

#ifdef __cplusplus
extern "C" {
#endif
#define ATOLL_SHMEM_TEXT_OF(number) #number
#define ATOLL_SHMEM_SYMBOL(number) "atoll_shmem_direct_4_" ATOLL_SHMEM_TEXT_OF(number)
extern struct atoll_shmem_table atoll_shmem_direct __asm__(ATOLL_SHMEM_SYMBOL(ATOLL_ABI_VERSION));

/* Wakes a PE of the world that sleeps in a wait. */
void atoll_shmem_wake(int pe);

#define ATOLL_SHMEM_ALWAYS extern inline __attribute__((gnu_inline, always_inline))

/* Wakes the row's PE, whose memory has just been changed, where it sleeps. */
ATOLL_SHMEM_ALWAYS void atoll_shmem_changed(const struct atoll_shmem_row* row) {
  ATOLL_ORDER();
  if (!ATOLL_LIKELY((__atomic_load_n((const uint32_t*)(const void*)row->asleep, __ATOMIC_RELAXED) &
                     ATOLL_SHMEM_ASLEEP) == 0)) {
    atoll_shmem_wake(row->pe);
  }
}

#ifdef __cplusplus
}
#endif

#endif
