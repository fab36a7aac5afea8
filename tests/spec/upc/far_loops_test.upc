/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops over long blocks of another thread. With messages only and with neighbourhoods of one they go through copies
 * of 64 KiB, of which the next are fetched ahead and those that were written are stored behind: whatever order those
 * take, a thread must read what it wrote last, and behind a barrier what others have written. */

#include <stdint.h>
#include <upc_relaxed.h>

#include "checks.uph"

#define LONG 30000 /* elements of a block: four pieces */

shared [LONG] long first[LONG * THREADS], second[LONG * THREADS], third[LONG * THREADS];

static int begin; /* of the next thread's block */

static void fill(long factor) {
  upc_barrier;
  long* own = (long*)&first[LONG * MYTHREAD];
  for (int i = 0; i < LONG; ++i) own[i] = factor * i;
  upc_barrier;
}

static long sum_of(shared [LONG] const long* from, int count) {
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += from[i];
  return sum;
}

/* Behind a barrier the owner's new values are read, however far a loop before it has fetched. */
static void owners_write_between_loops(void) {
  for (long factor = 1; factor <= 4; ++factor) {
    fill(factor);
    for (int count = LONG; count > 0; count -= 7001)
      SAME(sum_of(&first[begin], count), factor * ((long)count * (count - 1) / 2));
  }
}

/* A thread's own writes, one by one and in loops, are what it reads next, without a barrier. */
static void own_writes_are_read(void) {
  fill(1);
  for (int i = 0; i < LONG; ++i) first[begin + i] = 5 * i;
  SAME(first[begin + LONG - 1], 5L * (LONG - 1));
  SAME(first[begin + 1], 5);
  SAME(sum_of(&first[begin], LONG), 5 * ((long)LONG * (LONG - 1) / 2));
  first[begin + 20000] += 3;
  first[begin + 9] = 46;
  SAME(sum_of(&first[begin], LONG), 5 * ((long)LONG * (LONG - 1) / 2) + 4);
  for (int turn = 0; turn < 3; ++turn)
    for (int i = 0; i < LONG; ++i) first[begin + i] += i;
  SAME(sum_of(&first[begin], LONG), 8 * ((long)LONG * (LONG - 1) / 2) + 4);
  upc_barrier;
  SAME(first[LONG * MYTHREAD + 9], 46 + 27);
  SAME(first[LONG * MYTHREAD + 100], 800);
  upc_barrier;
}

/* Loops with several blocks, of which one ends before the others, and bytes beside a loop's stay as they are. */
static void several_blocks(void) {
  fill(2);
  for (int i = 0; i < LONG; ++i) second[begin + i] = i;
  for (int i = 0; i < LONG - 10; ++i) third[begin + 5 + i] = first[begin + i + 3] + second[begin + i + 10];
  upc_fence;
  for (int i = 0; i < 5; ++i) SAME(third[begin + i], 0);
  for (int i = 0; i < LONG - 10; i += 997) SAME(third[begin + 5 + i], 2 * (i + 3) + i + 10);
  for (int i = LONG - 5; i < LONG; ++i) SAME(third[begin + i], 0);
  upc_barrier;
  /* Elements of all threads, from block to block. */
  long sum = 0;
  for (int i = 0; i < LONG * THREADS; ++i) sum += second[i];
  SAME(sum, THREADS * ((long)LONG * (LONG - 1) / 2));
  upc_barrier;
}

/* A copy by another way, between a loop that writes and a loop that reads. */
static void transfers_between_loops(void) {
  static long copied[LONG];
  fill(1);
  for (int i = 0; i < LONG; ++i) first[begin + i] = 7 * i;
  upc_memget(copied, &first[begin], sizeof copied);
  for (int i = 0; i < LONG; i += 501) SAME(copied[i], 7 * i);
  for (int i = 0; i < LONG; ++i) copied[i] = 9 * i;
  upc_memput(&first[begin], copied, sizeof copied);
  SAME(sum_of(&first[begin], LONG), 9 * ((long)LONG * (LONG - 1) / 2));
  upc_barrier;
}

int main(void) {
  begin = LONG * ((MYTHREAD + 1) % THREADS);
  owners_write_between_loops();
  own_writes_are_read();
  several_blocks();
  transfers_between_loops();
  return check_result();
}
