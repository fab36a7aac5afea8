/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks (7.2.4) and atomic operations (upc_atomic.h). */

#include <stdint.h>
#include <string.h>
#include <upc_atomic.h>
#include <upc_relaxed.h>

#include "checks.uph"

shared int counter;
shared [] long sums[2];
upc_lock_t* shared kept;
typedef struct {
  upc_lock_t* lock;
  int owner;
} guarded;
shared guarded table[THREADS];

static void a_lock_excludes(void) {
  upc_lock_t* lock = upc_all_lock_alloc();
  CHECK(lock != NULL);
  for (int round = 0; round < 200; ++round) {
    upc_lock(lock);
    counter++;
    sums[0] += counter;
    upc_unlock(lock);
  }
  upc_barrier;
  SAME(counter, 200 * THREADS);
  SAME(sums[0], 200L * THREADS * (200 * THREADS + 1) / 2);
  upc_barrier;
  upc_all_lock_free(lock);
}

static void attempts_do_not_wait(void) {
  if (MYTHREAD == 0) kept = upc_global_lock_alloc();
  upc_barrier;
  upc_lock_t* lock = kept;
  if (MYTHREAD == 0) SAME(upc_lock_attempt(lock), 1);
  upc_barrier;
  if (MYTHREAD != 0) SAME(upc_lock_attempt(lock), 0);
  upc_barrier;
  if (MYTHREAD == 0) upc_unlock(lock);
  upc_barrier;
  int had = 0;
  while (had < 20)
    if (upc_lock_attempt(lock)) {
      ++had;
      counter += 2;
      upc_unlock(lock);
    }
  upc_barrier;
  SAME(counter, 240 * THREADS);
  upc_barrier;
  if (MYTHREAD == THREADS - 1) {
    upc_lock(lock);
    upc_lock_free(lock); /* a lock may be freed while it is held */
  }
  upc_lock_free(NULL);
  upc_all_lock_free(NULL);
}

static void locks_are_many(void) {
  upc_lock_t* several[20];
  for (int i = 0; i < 20; ++i) several[i] = upc_global_lock_alloc();
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < i; ++j) CHECK(several[i] != several[j]);
  for (int i = 0; i < 20; ++i) upc_lock(several[i]);
  for (int i = 0; i < 20; ++i) upc_unlock(several[i]);
  for (int i = 0; i < 20; ++i) upc_lock_free(several[i]);
  table[MYTHREAD].lock = upc_global_lock_alloc();
  table[MYTHREAD].owner = 0;
  upc_barrier;
  for (int round = 0; round < 20; ++round)
    for (int i = 0; i < THREADS; ++i) {
      const int at = (i + MYTHREAD) % THREADS;
      upc_lock(table[at].lock);
      table[at].owner++;
      upc_unlock(table[at].lock);
    }
  upc_barrier;
  SAME(table[MYTHREAD].owner, 20 * THREADS);
  upc_lock_free(table[MYTHREAD].lock);
  upc_barrier;
}

static void take(upc_lock_t* lock, int is_attempt) {
  if (is_attempt) {
    SAME(upc_lock_attempt(lock), 1);
  } else {
    upc_lock(lock);
  }
}

/* A lock may be freed by a thread while another one holds it; a new lock in its memory is not held. The thread that
 * held the old one may hold others, and releases them in any order. */
static void held_locks_are_freed(void) {
  for (int turn = 0; turn < 4 * THREADS; ++turn) {
    upc_lock_t* kept_lock = upc_all_lock_alloc();
    upc_lock_t* lock = upc_all_lock_alloc();
    const int holder = turn / 4 % THREADS, is_attempt = turn % 2, is_kept_first = turn / 2 % 2;
    if (MYTHREAD == holder) {
      upc_lock(kept_lock);
      take(lock, is_attempt);
    }
    upc_barrier;
    if (MYTHREAD == (holder + 1) % THREADS) upc_lock_free(lock);
    upc_barrier;
    lock = upc_all_lock_alloc();
    if (MYTHREAD == holder) {
      take(lock, !is_attempt);
      upc_unlock(is_kept_first ? kept_lock : lock);
      upc_unlock(is_kept_first ? lock : kept_lock);
    }
    upc_barrier;
    if (MYTHREAD == holder) take(lock, is_attempt);
    upc_barrier;
    if (MYTHREAD == (holder + 1) % THREADS) upc_lock_free(lock);
    upc_all_lock_free(kept_lock);
  }
}

/* Writes under a lock are seen by the next thread that holds it. */
static void locks_publish(void) {
  upc_lock_t* lock = upc_all_lock_alloc();
  if (MYTHREAD == 0) sums[0] = sums[1] = 0;
  upc_barrier;
  for (int round = 0; round < 200; ++round) {
    upc_lock(lock);
    SAME(sums[0], sums[1]);
    sums[0] += 3;
    sums[1] += 3;
    upc_unlock(lock);
  }
  upc_barrier;
  SAME(sums[1], 600 * THREADS);
  upc_all_lock_free(lock);
}

#define NUMERIC (UPC_ADD | UPC_SUB | UPC_MULT | UPC_INC | UPC_DEC | UPC_MIN | UPC_MAX)
#define ACCESS (UPC_GET | UPC_SET | UPC_CSWAP)
#define BITS (UPC_AND | UPC_OR | UPC_XOR)

/* Every operation of one type: alone in turn for its values, then all threads at once for its atomicity. */
#define EXERCISE(name, type, designator, bits)                                                     \
  shared type cell_##name[THREADS];                                                                \
  static void atomics_##name(void) {                                                               \
    upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(designator, NUMERIC | ACCESS | bits, 0); \
    CHECK(domain != NULL);                                                                         \
    shared type* cell = &cell_##name[(MYTHREAD + 1) % THREADS];                                    \
    type old, one = 21, two = 4, three = 100;                                                      \
    upc_atomic_relaxed(domain, NULL, UPC_SET, cell, &one, NULL);                                   \
    upc_atomic_strict(domain, &old, UPC_ADD, cell, &two, NULL);                                    \
    CHECK(old == 21);                                                                              \
    upc_atomic_relaxed(domain, &old, UPC_SUB, cell, &one, NULL);                                   \
    CHECK(old == 25);                                                                              \
    upc_atomic_relaxed(domain, &old, UPC_MULT, cell, &two, NULL);                                  \
    CHECK(old == 4);                                                                               \
    upc_atomic_relaxed(domain, &old, UPC_INC, cell, NULL, NULL);                                   \
    CHECK(old == 16);                                                                              \
    upc_atomic_strict(domain, &old, UPC_DEC, cell, NULL, NULL);                                    \
    CHECK(old == 17);                                                                              \
    upc_atomic_relaxed(domain, &old, UPC_MIN, cell, &two, NULL);                                   \
    CHECK(old == 16);                                                                              \
    upc_atomic_relaxed(domain, &old, UPC_MAX, cell, &three, NULL);                                 \
    CHECK(old == 4);                                                                               \
    upc_atomic_relaxed(domain, &old, UPC_CSWAP, cell, &two, &one);                                 \
    CHECK(old == 100);                                                                             \
    upc_atomic_strict(domain, &old, UPC_CSWAP, cell, &three, &one);                                \
    CHECK(old == 100);                                                                             \
    upc_atomic_relaxed(domain, &old, UPC_SET, cell, &three, NULL);                                 \
    CHECK(old == 21);                                                                              \
    upc_atomic_strict(domain, &old, UPC_GET, cell, NULL, NULL);                                    \
    CHECK(old == 100);                                                                             \
    upc_barrier;                                                                                   \
    for (int i = 0; i < 500; ++i) {                                                                \
      upc_atomic_relaxed(domain, NULL, UPC_INC, &cell_##name[0], NULL, NULL);                      \
      upc_atomic_relaxed(domain, NULL, UPC_ADD, &cell_##name[0], &two, NULL);                      \
      upc_atomic_relaxed(domain, NULL, UPC_SUB, &cell_##name[0], &two, NULL);                      \
    }                                                                                              \
    upc_barrier;                                                                                   \
    upc_atomic_strict(domain, &old, UPC_GET, &cell_##name[0], NULL, NULL);                         \
    CHECK(old == 100 + 500 * THREADS);                                                             \
    CHECK(upc_atomic_isfast(designator, UPC_ADD, &cell_##name[MYTHREAD]) >= 0);                    \
    upc_barrier;                                                                                   \
    upc_all_atomicdomain_free(domain);                                                             \
  }

EXERCISE(int, int, UPC_INT, BITS)
EXERCISE(uint, unsigned, UPC_UINT, BITS)
EXERCISE(long, long, UPC_LONG, BITS)
EXERCISE(ulong, unsigned long, UPC_ULONG, BITS)
EXERCISE(int32, int32_t, UPC_INT32, BITS)
EXERCISE(uint32, uint32_t, UPC_UINT32, BITS)
EXERCISE(int64, int64_t, UPC_INT64, BITS)
EXERCISE(uint64, uint64_t, UPC_UINT64, BITS)
EXERCISE(float, float, UPC_FLOAT, 0)
EXERCISE(double, double, UPC_DOUBLE, 0)

shared uint64_t bits;
shared [8] int targets[8 * THREADS];
shared [8] int* shared pointer_cell;

static void bits_are_combined(void) {
  upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(UPC_UINT64, BITS | UPC_GET, UPC_ATOMIC_HINT_LATENCY);
  const uint64_t mine = 1ULL << (MYTHREAD % 64);
  uint64_t old;
  upc_atomic_relaxed(domain, NULL, UPC_OR, &bits, &mine, NULL);
  upc_barrier;
  upc_atomic_relaxed(domain, &old, UPC_GET, &bits, NULL, NULL);
  SAME(old, THREADS >= 64 ? ~0ULL : (1ULL << THREADS) - 1);
  upc_barrier;
  upc_atomic_relaxed(domain, NULL, UPC_XOR, &bits, &mine, NULL);
  upc_barrier;
  upc_atomic_relaxed(domain, &old, UPC_AND, &bits, &mine, NULL);
  SAME(old, 0);
  upc_all_atomicdomain_free(domain);
  upc_all_atomicdomain_free(NULL);
}

/* Pointers-to-shared are exchanged whole; the comparison ignores the phase. */
static void pointers_are_swapped(void) {
  upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(UPC_PTS, ACCESS, 0);
  shared [8] int* first = &targets[3];
  shared void* before;
  if (MYTHREAD == 0) upc_atomic_strict(domain, NULL, UPC_SET, &pointer_cell, &first, NULL);
  upc_barrier;
  shared void* expected = (shared [] int*)&targets[3]; /* another phase */
  shared void* mine = &targets[8 * MYTHREAD + 1];
  upc_atomic_strict(domain, &before, UPC_CSWAP, &pointer_cell, &expected, &mine);
  upc_barrier;
  const int won = before == expected;
  shared void* now;
  upc_atomic_strict(domain, &now, UPC_GET, &pointer_cell, NULL, NULL);
  SAME(now == mine, won);
  SAME(upc_phaseof(pointer_cell), 1);
  SAME(pointer_cell - &targets[8 * upc_threadof(pointer_cell)], 1);
  upc_barrier;
  for (int i = 0; i < 100; ++i) {
    upc_atomic_relaxed(domain, &before, UPC_SET, &pointer_cell, &mine, NULL);
    SAME(upc_phaseof(before), 1);
    CHECK(before == (shared void*)&targets[8 * upc_threadof(before) + 1]);
  }
  upc_barrier;
  upc_all_atomicdomain_free(domain);
}

int main(void) {
  a_lock_excludes();
  attempts_do_not_wait();
  locks_are_many();
  held_locks_are_freed();
  locks_publish();
  atomics_int();
  atomics_uint();
  atomics_long();
  atomics_ulong();
  atomics_int32();
  atomics_uint32();
  atomics_int64();
  atomics_uint64();
  atomics_float();
  atomics_double();
  bits_are_combined();
  pointers_are_swapped();
  return check_result();
}
