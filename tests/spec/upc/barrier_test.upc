/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Barriers in their forms (6.6.1) and the memory model (6.7.1, 5.1.2.3, appendix B): writes before a barrier are seen
 * after it; all threads see strict accesses in one order, whether a qualifier, a pragma of a file or of a block, or a
 * header makes them strict. */

#include <upc.h>

#include "checks.uph"

shared int cells[THREADS];
shared int data[THREADS];
strict shared int flag;
shared int relaxed_data, by_pragma;
strict shared int x, y, stamp_a, stamp_b;
shared int seen[4 * THREADS];

static void barriers_separate(void) {
  const int right = (MYTHREAD + 1) % THREADS;
  for (int round = 0; round < 50; ++round) {
    cells[right] = 100 * round + right;
    switch (round % 6) {
      case 0: upc_barrier; break;
      case 1: upc_barrier round; break;
      case 2: upc_notify; upc_wait; break;
      case 3: upc_notify round; upc_wait; break;
      case 4: upc_notify 2 * round + 1; upc_wait 2 * round + 1; break;
      default: upc_barrier(round);
    }
    for (int i = 0; i < THREADS; ++i) SAME(cells[i], 100 * round + i);
    if (round % 2) upc_barrier; else { upc_notify; upc_wait; }
  }
}

/* Some threads may give a value and others none (6.6.1, 7). */
static void some_give_a_value(void) {
  if (MYTHREAD == 0) upc_barrier 5;
  else upc_barrier;
  if (MYTHREAD % 2) upc_notify 8; else upc_notify;
  int work = 0;
  for (int i = 0; i < 1000; ++i) work += i;
  upc_wait;
  SAME(work, 499500);
}

/* Private work may stand between notify and wait, and reads of values written before the notify follow the wait. */
static void phases_are_split(void) {
  for (int round = 1; round <= 20; ++round) {
    data[MYTHREAD] = round;
    upc_notify;
    int sum = 0;
    for (int i = 0; i < 100; ++i) sum += i * round;
    upc_wait;
    for (int i = 0; i < THREADS; ++i) SAME(data[i], round);
    upc_barrier;
    SAME(sum, 4950 * round);
  }
}

/* Message passing: data is relaxed, the flag strict. */
static void a_strict_flag_publishes(void) {
  for (int round = 1; round <= 200; ++round) {
    if (MYTHREAD == 0) {
      relaxed_data = 3 * round;
      flag = round;
    } else {
      while (flag < round) continue;
      CHECK(relaxed_data >= 3 * round);
    }
    upc_barrier;
  }
}

/* The same by pragmas: accesses without a qualifier are strict in these blocks only. */
static void publish_by_pragma(int round) {
#pragma upc strict
  by_pragma = round;
}

static void await_by_pragma(int round) {
  {
#pragma upc strict
    while (by_pragma < round) continue;
  }
  CHECK(relaxed_data >= round);
}

static void a_fence_publishes(void) {
  upc_barrier;
  if (MYTHREAD == 0) relaxed_data = by_pragma = 0;
  upc_barrier;
  for (int round = 1; round <= 200; ++round) {
    if (MYTHREAD == THREADS - 1) {
      relaxed_data = round;
      if (round % 2) {
        upc_fence;
        by_pragma = round;
      } else {
        publish_by_pragma(round);
      }
    } else {
      await_by_pragma(round);
    }
    upc_barrier;
  }
}

/* Store buffering: with strict accesses one thread at least sees the store of the other. */
static void strict_stores_are_not_delayed(void) {
  for (int round = 0; round < 300; ++round) {
    if (MYTHREAD == 0) x = y = 0;
    upc_barrier;
    if (MYTHREAD == 0) {
      x = 1;
      seen[0] = y;
    } else if (MYTHREAD == 1) {
      y = 1;
      seen[1] = x;
    }
    upc_barrier;
    if (THREADS > 1 && MYTHREAD == 0) CHECK(seen[0] + seen[1] >= 1);
    upc_barrier;
  }
}

/* Independent reads of independent writes: two readers agree on the order of two strict writes. */
static void readers_agree(void) {
  for (int round = 0; round < 300; ++round) {
    if (MYTHREAD == 0) stamp_a = stamp_b = 0;
    upc_barrier;
    switch (MYTHREAD) {
      case 0: stamp_a = 1; break;
      case 1: stamp_b = 1; break;
      case 2: seen[0] = stamp_a; seen[1] = stamp_b; break;
      case 3: seen[2] = stamp_b; seen[3] = stamp_a; break;
    }
    upc_barrier;
    if (THREADS > 3 && MYTHREAD == 0) CHECK(!(seen[0] == 1 && seen[1] == 0 && seen[2] == 1 && seen[3] == 0));
    upc_barrier;
  }
}

/* A thread sees its own relaxed accesses in order, also by two names of one object. */
static void own_accesses_are_in_order(void) {
  shared int* alias = &cells[(MYTHREAD + 1) % THREADS];
  for (int i = 0; i < 500; ++i) {
    cells[(MYTHREAD + 1) % THREADS] = i;
    SAME(*alias, i);
    *alias = -i;
    SAME(cells[(MYTHREAD + 1) % THREADS], -i);
  }
  upc_barrier;
}

static void qualifiers_of_pointers(void) {
  strict shared int* strictly = (strict shared int*)&cells[MYTHREAD];
  relaxed shared int* loosely = (relaxed shared int*)&cells[MYTHREAD];
  *strictly = 4;
  SAME(*loosely, 4);
  *loosely += 2;
  SAME((*strictly)++, 6);
  SAME(cells[MYTHREAD], 7);
  relaxed shared [] int* rest = (relaxed shared [] int*)loosely;
  SAME(rest[0], 7);
}

/* The library may cache values of others between synchronisations, but a thread reads its own last write, however it
   was made, and after a barrier the writes of others. */
static shared [64] long mail[THREADS][64];
static shared [64] char letters[THREADS][64];

static void values_of_others(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  for (int round = 1; round < 6; ++round) {
    for (int i = 0; i < 64; ++i) mail[MYTHREAD][i] = 1000 * round + i;
    upc_barrier;
    for (int i = 0; i < 64; ++i) SAME(mail[next][i], 1000 * round + i);
    mail[next][round] = -round;
    SAME(mail[next][round], -round);
    for (int k = 0; k < 5; ++k) letters[next][8 * round + k % 3] = k;
    long other = 0;
    upc_memget(&other, &mail[next][round], sizeof other);
    SAME(other, -round);
    other = 77;
    upc_memput(&mail[next][60], &other, sizeof other);
    SAME(mail[next][60], 77);
    mail[next][61] = 5;
    mail[next][61] += 6;
    SAME(mail[next][61], 11);
    mail[next][62] = 1;
    upc_memcpy(&mail[next][63], &mail[next][62], sizeof other);
    SAME(mail[next][63], 1);
    upc_memset(&mail[next][62], 0, sizeof other);
    SAME(mail[next][62], 0);
    upc_barrier;
    SAME(mail[MYTHREAD][round], -round);
    SAME(mail[MYTHREAD][61], 11);
    SAME(letters[MYTHREAD][8 * round], 3);
    SAME(letters[MYTHREAD][8 * round + 1], 4);
    SAME(letters[MYTHREAD][8 * round + 2], 2);
    upc_barrier;
  }
}

/* A relaxed flag is not ordered, but it arrives even if its writer only waits afterwards. */
static shared int raised[THREADS], lowered[THREADS];

static void relaxed_flags_arrive(void) {
  const int next = (MYTHREAD + 1) % THREADS;
  for (int round = 1; round <= 20; ++round) {
    raised[next] = round;
    while (raised[MYTHREAD] < round) continue;
    lowered[MYTHREAD] = round;
    while (lowered[next] < round) continue;
  }
  upc_barrier;
}

int main(void) {
  barriers_separate();
  some_give_a_value();
  phases_are_split();
  a_strict_flag_publishes();
  a_fence_publishes();
  strict_stores_are_not_delayed();
  readers_agree();
  own_accesses_are_in_order();
  qualifiers_of_pointers();
  values_of_others();
  relaxed_flags_arrive();
  return check_result();
}
