// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over shared arrays, see loops.h. Arrays that are summed hold a[i] = i at first, so a sum
// over whole rounds of the array is known.
#include "loops.h"

#include <upc_relaxed.h>

#include <stdlib.h>

#define ELEMENTS 65536 /* upc_loop_elements, as a block size wants it */
#define ODD_BLOCKS 64 /* of each thread */

static shared [4096] int scaled[ELEMENTS * THREADS];
static shared [4096] int blocks[ELEMENTS * THREADS];
static shared int cyclic[ELEMENTS * THREADS];
static shared int dealt[ELEMENTS * THREADS];
static shared [1000] int odd_blocks[1000 * ODD_BLOCKS * THREADS];
static int plain[ELEMENTS];
static int* plain_total; /* as many as all threads have */
static uint32_t order[ELEMENTS]; /* random places of odd_blocks */
static uint32_t places[ELEMENTS]; /* random places of an array of total() elements */
static int is_filled;
static int64_t wrong;

static uint64_t total(void) { return (uint64_t)ELEMENTS * THREADS; }

static void fill(void) {
  if (is_filled) return;
  is_filled = 1;
  uint64_t random = 88172645463325252u;
  for (uint32_t i = 0; i < ELEMENTS; ++i) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    order[i] = random % (1000 * ODD_BLOCKS * (uint64_t)THREADS);
    places[i] = random % total();
    plain[i] = i;
  }
  plain_total = malloc(total() * sizeof *plain_total);
  if (plain_total == NULL) upc_global_exit(1);
  for (uint64_t i = 0; i < total(); ++i) plain_total[i] = i;
  for (uint64_t i = 0; i < total(); ++i) {
    if (upc_threadof(&blocks[i]) == MYTHREAD) blocks[i] = i;
    if (upc_threadof(&cyclic[i]) == MYTHREAD) cyclic[i] = i;
  }
}

unsigned upc_loop_thread(void) { return MYTHREAD; }
unsigned upc_loop_threads(void) { return THREADS; }

void upc_loop_barrier(void) {
  fill();
  upc_barrier;
}

static shared uint64_t agreed;

uint64_t upc_loop_agree(uint64_t value) {
  upc_barrier;
  if (MYTHREAD == 0) agreed = value;
  upc_barrier;
  return agreed;
}

static shared int64_t wrong_of[THREADS];

int upc_loop_all_right(void) {
  int64_t sum = 0;
  wrong_of[MYTHREAD] = wrong;
  upc_barrier;
  for (int thread = 0; thread < THREADS; ++thread) sum += wrong_of[thread];
  return sum == 0;
}

/* Checks a sum over `count` elements, in rounds over elements 0, 1, ... `elements` - 1. */
static void check_sum(uint64_t sum, uint64_t count, uint64_t elements) {
  const uint64_t rounds = count / elements, rest = count % elements;
  const uint64_t expected = rounds * (elements * (elements - 1) / 2) + rest * (rest - 1) / 2;
  if (rest != 0 ? sum != expected : sum != rounds * (elements * (elements - 1) / 2)) ++wrong;
}

/* ---- loops that each thread runs over its own elements ---------------------------------------- */

void plain_scale(uint64_t count) {
  for (uint64_t done = 0; done < count; done += ELEMENTS)
    for (int i = 0; i < ELEMENTS; ++i) plain[i] = 2 * plain[i] + 1;
  for (int i = 0; i < ELEMENTS; ++i) plain[i] = i;
}

void forall_scale(uint64_t count) {
  for (uint64_t done = 0; done < count; done += ELEMENTS) {
    int i;
    upc_forall (i = 0; i < ELEMENTS * THREADS; ++i; &scaled[i]) scaled[i] = 2 * scaled[i] + 1;
  }
}

void forall_integer_scale(uint64_t count) {
  for (uint64_t done = 0; done < count; done += ELEMENTS) {
    int i;
    upc_forall (i = 0; i < ELEMENTS * THREADS; ++i; i) dealt[i] = 2 * dealt[i] + 1;
  }
}

void forall_shifted_scale(uint64_t count) {
  for (uint64_t done = 0; done < count; done += ELEMENTS) {
    int i;
    upc_forall (i = 0; i < ELEMENTS * THREADS - 1; ++i; &scaled[i + 1]) scaled[i + 1] = 2 * scaled[i + 1] + 1;
  }
}

/* ---- sums over the elements of all threads ---------------------------------------------------- */

void plain_sum(uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t left = count; left != 0;) {
    const uint64_t now = left < ELEMENTS ? left : ELEMENTS;
    for (uint64_t i = 0; i < now; ++i) sum += plain[i];
    left -= now;
  }
  check_sum(sum, count, ELEMENTS);
}

void subscript_sum(uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t left = count; left != 0;) {
    const uint64_t now = left < total() ? left : total();
    for (uint64_t i = 0; i < now; ++i) sum += blocks[i];
    left -= now;
  }
  check_sum(sum, count, total());
}

void pointer_sum(uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t left = count; left != 0;) {
    const uint64_t now = left < total() ? left : total();
    shared [4096] int* p = blocks;
    for (uint64_t i = 0; i < now; ++i) sum += *p++;
    left -= now;
  }
  check_sum(sum, count, total());
}

void cyclic_sum(uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t left = count; left != 0;) {
    const uint64_t now = left < total() ? left : total();
    for (uint64_t i = 0; i < now; ++i) sum += cyclic[i];
    left -= now;
  }
  check_sum(sum, count, total());
}

void cyclic_pointer_sum(uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t left = count; left != 0;) {
    const uint64_t now = left < total() ? left : total();
    shared int* p = cyclic;
    for (uint64_t i = 0; i < now; ++i) sum += *p++;
    left -= now;
  }
  check_sum(sum, count, total());
}

void indefinite_sum(uint64_t count) {
  uint64_t sum = 0;
  shared [] int* p = (shared [] int*)&blocks[0];
  for (uint64_t left = count; left != 0;) {
    const uint64_t now = left < 4096 ? left : 4096;
    for (uint64_t i = 0; i < now; ++i) sum += p[i];
    left -= now;
  }
  check_sum(sum, count, 4096);
}

void local_sum(uint64_t count) {
  if (MYTHREAD != 0) return;
  uint64_t sum = 0;
  const int* p = (int*)&blocks[0];
  for (uint64_t left = count; left != 0;) {
    const uint64_t now = left < 4096 ? left : 4096;
    for (uint64_t i = 0; i < now; ++i) sum += p[i];
    left -= now;
  }
  check_sum(sum, count, 4096);
}

/* ---- random places, in arrays of about the same size ------------------------------------------ */

static volatile int64_t kept;

void plain_random(uint64_t count) {
  int64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += plain_total[places[i % ELEMENTS]];
  kept = sum;
}

void cyclic_random(uint64_t count) {
  int64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += cyclic[places[i % ELEMENTS]];
  kept = sum;
}

void block_random(uint64_t count) {
  int64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += blocks[places[i % ELEMENTS]];
  kept = sum;
}

void odd_block_random(uint64_t count) {
  int64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) sum += odd_blocks[order[i % ELEMENTS]];
  kept = sum;
}
