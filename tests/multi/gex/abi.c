// SPDX-License-Identifier: BSD-3-Clause
//
// The public C header beside a client of GASNet-EX: its routes lead to every rank's heap, whatever
// segment the client has attached, and every function reaches every rank, inline or not.
#include "client.h"

#include <atoll/abi.h>

#include <stdint.h>
#include <string.h>

enum { words = 2048 };

static const atoll_segment* heaps;
static uint64_t* own_words;        /* words of this rank */
static uint64_t* remote_words[64]; /* the same of every rank, as it addresses them */

static void tell_all(void) {
  uint64_t* const table = (uint64_t*)atoll_library_allocate(64 * sizeof(uint64_t));
  const uint32_t me = atoll_library_rank();
  const uint64_t address = (uintptr_t)own_words;
  uint64_t base;
  uint32_t rank;
  /* All ranks have allocated alike, so that their tables lie at one offset. */
  const uint64_t offset = (uintptr_t)table - atoll_route_remote(&heaps->routes[me]);
  for (rank = 0; rank < atoll_library_ranks(); ++rank) {
    base = atoll_route_remote(&heaps->routes[rank]) + offset;
    atoll_put(heaps, rank, (uint64_t*)(uintptr_t)base + me, &address, sizeof address);
  }
  atoll_library_barrier();
  for (rank = 0; rank < atoll_library_ranks(); ++rank)
    remote_words[rank] = (uint64_t*)(uintptr_t)table[rank];
  atoll_library_barrier();
  atoll_library_free(table);
}

static void transfer(uint32_t to, size_t bytes) {
  static char from[sizeof(uint64_t) * words], back[sizeof(uint64_t) * words];
  atoll_event done;
  size_t i;
  for (i = 0; i < bytes; ++i) from[i] = (char)(i * 3 + atoll_library_rank());
  done = atoll_put_nb(heaps, to, remote_words[to], from, bytes);
  while (!atoll_test(&done)) atoll_library_progress();
  memset(back, 0, sizeof back);
  done = atoll_get_nb(heaps, back, to, remote_words[to], bytes);
  atoll_wait(&done);
  CHECK(memcmp(back, from, bytes) == 0);
  memset(back, 0, sizeof back);
  atoll_get(heaps, back, to, remote_words[to], bytes);
  CHECK(memcmp(back, from, bytes) == 0);
  atoll_library_barrier();
}

static void count_together(void) {
  const uint32_t ranks = atoll_library_ranks();
  uint32_t rank;
  int turn;
  memset(own_words, 0, sizeof(uint64_t) * 2);
  atoll_library_barrier();
  for (turn = 0; turn < 100; ++turn) {
    for (rank = 0; rank < ranks; ++rank) {
      (void)atoll_atomic64(heaps, rank, remote_words[rank], ATOLL_ATOMIC_ADD, 3, 0);
      (void)atoll_atomic32(heaps, rank, (uint32_t*)(void*)(remote_words[rank] + 1),
                           ATOLL_ATOMIC_FETCH_INC, 0, 0);
    }
  }
  atoll_library_barrier();
  for (rank = 0; rank < ranks; ++rank) {
    CHECK(atoll_atomic64(heaps, rank, remote_words[rank], ATOLL_ATOMIC_GET, 0, 0) == 300u * ranks);
    CHECK(atoll_atomic32(heaps, rank, (uint32_t*)(void*)(remote_words[rank] + 1), ATOLL_ATOMIC_GET,
                         0, 0) == 100u * ranks);
  }
  atoll_library_barrier();
}

int main(int argc, char** argv) {
  uint32_t right;
  CHECK(atoll_library_heaps(ATOLL_ABI) == NULL); /* nothing has started */
  start_client(&argc, &argv, 1 << 20);
  heaps = atoll_library_heaps(ATOLL_ABI);
  CHECK(heaps != NULL && heaps->number == 0 && heaps->ranks == atoll_library_ranks());
  CHECK(atoll_library_rank() == my_rank);
  own_words = (uint64_t*)atoll_library_allocate(sizeof(uint64_t) * words);
  CHECK(own_words != NULL);
  tell_all();
  right = (atoll_library_rank() + 1) % atoll_library_ranks();
  transfer(right, 0);
  transfer(right, 8);
  transfer(right, 4096);
  transfer(right, sizeof(uint64_t) * words);
  count_together();
  atoll_library_free(own_words);
  finish_client();
}
