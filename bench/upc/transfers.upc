// SPDX-License-Identifier: BSD-3-Clause
//
// Operations between two threads and of all, see loops.h.
#include "loops.h"

#include <upc_atomic.h>
#include <upc_collective.h>
#include <upc_relaxed.h>

#define PLACES 64
#define AWAY 65536 /* elements of the loops over another thread's part */
#define BYTES_MAX (1 << 20) /* upc_loop_bytes_max, as a block size wants it */

static shared [PLACES] uint64_t words[THREADS][PLACES];
static strict shared [PLACES] uint64_t strict_words[THREADS][PLACES];
static shared [BYTES_MAX] char areas[THREADS][BYTES_MAX];
static shared [BYTES_MAX] char results[THREADS][BYTES_MAX];
static shared [AWAY] double away[THREADS][AWAY];
static shared uint64_t counters[THREADS];
static shared int64_t values[THREADS];
static shared int64_t sum;
static char private_area[BYTES_MAX];
static volatile uint64_t kept;

static int target(void) { return THREADS > 1 ? 1 : 0; }

void element_puts(uint64_t count) {
  if (MYTHREAD != 0) return;
  shared [] uint64_t* there = (shared [] uint64_t*)&words[target()][0];
  for (uint64_t i = 0; i < count; ++i) there[i % PLACES] = i;
}

void element_gets(uint64_t count) {
  if (MYTHREAD != 0) return;
  uint64_t read = 0;
  shared [] uint64_t* there = (shared [] uint64_t*)&words[target()][0];
  for (uint64_t i = 0; i < count; ++i) read += there[i % PLACES];
  kept = read;
}

void strict_puts(uint64_t count) {
  if (MYTHREAD != 0) return;
  for (uint64_t i = 0; i < count; ++i) strict_words[target()][i % PLACES] = i;
}

void memputs(uint64_t count, size_t bytes) {
  if (MYTHREAD != 0) return;
  for (uint64_t i = 0; i < count; ++i) upc_memput(&areas[target()][0], private_area, bytes);
}

void memgets(uint64_t count, size_t bytes) {
  if (MYTHREAD != 0) return;
  for (uint64_t i = 0; i < count; ++i) upc_memget(private_area, &areas[target()][0], bytes);
}

void loop_reads(uint64_t count) {
  if (MYTHREAD != 0) return;
  const int there = target();
  double sum = 0;
  for (uint64_t left = count, now; left != 0; left -= now) {
    now = left < AWAY ? left : AWAY;
    for (uint64_t i = 0; i < now; ++i) sum += away[there][i];
  }
  kept = sum;
}

void loop_writes(uint64_t count) {
  if (MYTHREAD != 0) return;
  const int there = target();
  for (uint64_t left = count, now; left != 0; left -= now) {
    now = left < AWAY ? left : AWAY;
    for (uint64_t i = 0; i < now; ++i) away[there][i] = i;
  }
}

void memget_reads(uint64_t count) {
  if (MYTHREAD != 0) return;
  double sum = 0;
  const double* here = (const double*)private_area;
  for (uint64_t left = count, now; left != 0; left -= now) {
    now = left < AWAY ? left : AWAY;
    upc_memget(private_area, &away[target()][0], now * sizeof(double));
    for (uint64_t i = 0; i < now; ++i) sum += here[i];
  }
  kept = sum;
}

/* Random places among 512 adjacent elements; after 10,000 reads among 512 others. */
void local_random_reads(uint64_t count) {
  if (MYTHREAD != 0) return;
  double sum = 0;
  const int there = target();
  uint64_t random = 1, first = 0;
  for (uint64_t i = 0; i < count; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    if (i % 10000 == 0) first = (random >> 33) % (AWAY - 512);
    sum += away[there][first + (random >> 40) % 512];
  }
  kept = sum;
}

void lock_pairs(uint64_t count) {
  static upc_lock_t* lock;
  if (lock == NULL) lock = upc_all_lock_alloc();
  if (MYTHREAD != 0) return;
  for (uint64_t i = 0; i < count; ++i) {
    upc_lock(lock);
    upc_unlock(lock);
  }
}

void fetch_adds(uint64_t count) {
  static upc_atomicdomain_t* domain;
  if (domain == NULL) domain = upc_all_atomicdomain_alloc(UPC_UINT64, UPC_ADD, 0);
  if (MYTHREAD != 0) return;
  const uint64_t one = 1;
  uint64_t old;
  for (uint64_t i = 0; i < count; ++i)
    upc_atomic_relaxed(domain, &old, UPC_ADD, &counters[target()], &one, NULL);
  kept = old;
}

void barriers(uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) upc_barrier;
}

static upc_flag_t flags_of(int waits) {
  return waits ? UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC : UPC_IN_NOSYNC | UPC_OUT_NOSYNC;
}

void broadcasts(uint64_t count, size_t bytes, int waits) {
  const upc_flag_t flags = flags_of(waits);
  for (uint64_t i = 0; i < count; ++i) upc_all_broadcast(results, areas, bytes, flags);
}

void all_reduces(uint64_t count, int waits) {
  const upc_flag_t flags = flags_of(waits);
  for (uint64_t i = 0; i < count; ++i)
    upc_all_reduceL((shared void*)&sum, (shared const void*)values, UPC_ADD, THREADS, 1, NULL, flags);
}
