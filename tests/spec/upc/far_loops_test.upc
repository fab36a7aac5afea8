/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops over long blocks of another thread. With messages only and with neighbourhoods of one they go through copies
 * of 64 KiB, of which the next are fetched ahead and changed ones are stored later: whatever order these transfers
 * take, a thread must read its own last writes, and after a barrier those of others. */

#include <stdint.h>
#include <bupc_extensions.h>
#include <unistd.h>
#include <upc_relaxed.h>

#include "checks.uph"

#define LONG 30000 /* elements of a block: four pieces */

#define SHORT 32 /* elements of a short block; a piece has many of these blocks */
#define BLOCKS 200
#define WIDE 4 /* elements of a run that is transferred as single values */

shared [LONG] long first[LONG * THREADS], second[LONG * THREADS], third[LONG * THREADS];
shared [SHORT] long many[SHORT * BLOCKS * THREADS];

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

/* After a barrier the owner's new values are read, however far ahead an earlier loop has fetched. */
static void owners_write_between_loops(void) {
  for (long factor = 1; factor <= 4; ++factor) {
    fill(factor);
    for (int count = LONG; count > 0; count -= 7001)
      SAME(sum_of(&first[begin], count), factor * ((long)count * (count - 1) / 2));
  }
}

/* A thread reads its own writes, made one by one and in loops, without a barrier. */
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

/* Loops over several blocks, of which one ends before the others; bytes beside a loop's elements do not change. */
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

/* Contiguous blocks of a thread are fetched many at once when a loop has gone from one to the next; a thread reads its
 * own writes to blocks that were fetched ahead. */
static void many_short_blocks(void) {
  const int all = SHORT * BLOCKS * THREADS;
  for (long turn = 1; turn <= 2; ++turn) {
    upc_barrier;
    int i;
    upc_forall (i = 0; i < all; ++i; &many[i]) many[i] = turn * i;
    upc_barrier;
    long sum = 0;
    for (i = 0; i < all; ++i) sum += many[i];
    SAME(sum, turn * ((long)all * (all - 1) / 2));
    upc_barrier;
    if (MYTHREAD != 0) continue;
    for (int block = 0; block < BLOCKS * THREADS; ++block) {
      const int start = SHORT * block, marked = start + 5 * SHORT;
      if (block % 3 == 0 && marked < all) many[marked] = -1;
      sum = 0;
      for (i = start; i < start + SHORT; ++i) sum += many[i];
      const long expected = turn * ((long)SHORT * start + SHORT * (SHORT - 1) / 2);
      const int is_marked = block >= 5 && (block - 5) % 3 == 0;
      SAME(sum, is_marked ? expected - turn * start - 1 : expected);
    }
    for (i = 0; i < all; ++i) many[i] += 1;
    SAME(many[all - 1], turn * (all - 1) + 1);
  }
  upc_barrier;
}

/* A loop that waits for another thread's write ends, although the block was fetched before the write. */
static void wait_in_loops(void) {
  const int writer = THREADS - 1, blocks = 6;
  int i;
  upc_forall (i = 0; i < SHORT * BLOCKS * THREADS; ++i; &many[i]) many[i] = 0;
  upc_barrier;
  for (int block = 0; block < blocks; ++block) {
    const int start = SHORT * (THREADS * block + writer);
    if (MYTHREAD == writer) {
      usleep(3000);
      for (i = start; i < start + SHORT; ++i) many[i] = 1;
      upc_fence;
    } else {
      long sum;
      do {
        sum = 0;
        for (i = start; i < start + SHORT; ++i) sum += many[i];
      } while (sum != SHORT);
    }
  }
  upc_barrier;
}

/* Runs of few elements, as in a column of a matrix: written, read and changed while others are under way. */
static void short_runs(void) {
  fill(1);
  for (int y = 0; y < LONG / 100; ++y)
    for (int x = 0; x < WIDE; ++x) first[begin + 100 * y + x] = -y - x;
  for (int y = 0; y < LONG / 100; ++y)
    for (int x = 0; x < WIDE; ++x) first[begin + 100 * y + x] += 10;
  for (int y = 0; y < LONG / 100; ++y) {
    long sum = 0;
    for (int x = 0; x < WIDE; ++x) sum += first[begin + 100 * y + x];
    SAME(sum, WIDE * (10 - y) - WIDE * (WIDE - 1) / 2);
  }
  upc_barrier;
  SAME(first[LONG * MYTHREAD + 100 + WIDE - 1], 10 - 1 - (WIDE - 1));
  SAME(first[LONG * MYTHREAD + 100 + WIDE], 100 + WIDE);
  upc_barrier;
}

/* Writes of a loop that are sent together: to one thread, to all in turn, and to one place repeatedly; and changed and
 * read while they are under way. */
static void scattered_writes(void) {
  fill(1);
  for (int y = 0; y < LONG / 50; ++y) first[begin + 50 * y + 7] = -y;
  for (int y = 0; y < LONG / 50; y += 3) first[begin + 50 * y + 7] -= 1000;
  long sum = 0;
  for (int y = 0; y < LONG / 50; ++y) {
    first[begin + 50 * y + 8] = y;
    sum += first[begin + 50 * (y / 2) + 8] - y / 2;
  }
  SAME(sum, 0);
  for (int i = 0; i < 3000; ++i) first[begin + 3 * (i % 40)] = i;
  for (int i = 2960; i < 3000; ++i) SAME(first[begin + 3 * (i % 40)], i);
  upc_barrier;
  for (int y = 3; y < LONG / 50; ++y) SAME(first[LONG * MYTHREAD + 50 * y + 7], y % 3 == 0 ? -y - 1000 : -y);
  SAME(first[LONG * MYTHREAD + 50 * 3 + 8], 3);
  upc_barrier;
  if (MYTHREAD == 0) {
    for (int i = 0; i < 200; ++i)
      for (int thread = 0; thread < THREADS; ++thread) first[LONG * thread + 100 * i] = 1000 * thread + i;
  }
  upc_barrier;
  for (int i = 0; i < 200; ++i) SAME(first[LONG * MYTHREAD + 100 * i], 1000 * MYTHREAD + i);
  upc_barrier;
}

shared int asked[THREADS], answered[THREADS];
static volatile int arrived;
static int turns;

static int ask(void) {
  asked[THREADS - 1] = turns;
  while (answered[0] < turns) bupc_poll();
  return 0;
}

/* A loop waits in its own memory for another thread's answer to its write, so the write must be sent before: for waits
 * in the body, the step, an inner loop, and a function in the start. */
static void loops_wait_for_answers(void) {
  const int asks = MYTHREAD == 0, ways = 4;
  upc_barrier;
  for (turns = 1; turns <= ways; ++turns) {
    if (asks && turns == 1) {
      int sent = 0;
      for (int seen = 0; seen < turns; seen = answered[0])
        if (!sent) {
          asked[THREADS - 1] = turns;
          sent = 1;
        }
    }
    if (asks && turns == 2)
      for (int i = 0; i < 1; ++i) {
        asked[THREADS - 1] = turns;
        for (int seen = 0; seen < turns; seen = answered[0]) arrived = seen;
      }
    if (asks && turns == 3)
      for (int i = 0, sent = 0; i != answered[0]; i += turns * (answered[0] == turns)) {
        if (!sent) asked[THREADS - 1] = turns;
        sent = 1;
      }
    if (asks && turns == 4)
      for (int i = ask(); i < 3; ++i) first[begin + 3 * i] = i;
    if (MYTHREAD == THREADS - 1) {
      while (asked[MYTHREAD] < turns) bupc_poll();
      answered[0] = turns;
    }
    upc_barrier;
  }
}

/* Single writes, writing loops and reads, some of the same elements: only accesses to the same elements wait for each
 * other. */
static void writes_of_both_kinds(void) {
  enum { step = 300, count = LONG / step };
  fill(1);
  for (int k = 0; k < count; ++k) {
    const int place = begin + k * step, shift = k % 3 - 1; /* the loop begins before, at or behind the single one */
    first[place + 100] = -k;
    for (int i = 0; i < 50; ++i) first[place + 100 + shift + i] = 1000 * k + i;
    first[place + 120] = -2 * k;
    SAME(first[place + 99], shift < 0 ? 1000 * k : k * step + 99);
    SAME(first[place + 100], shift > 0 ? -k : 1000 * k - shift);
    SAME(first[place + 120], -2 * k);
    SAME(first[place + 149], shift < 0 ? k * step + 149 : 1000 * k + 49 - shift);
    SAME(first[place + 200], k * step + 200);
  }
  upc_barrier;
  for (int k = 0; k < count; ++k) SAME(first[LONG * MYTHREAD + k * step + 120], -2 * k);
  upc_barrier;
}

/* A copy by a function, between a loop that writes and a loop that reads. */
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
  many_short_blocks();
  wait_in_loops();
  short_runs();
  scattered_writes();
  if (THREADS > 1) loops_wait_for_answers();
  writes_of_both_kinds();
  transfers_between_loops();
  return check_result();
}
