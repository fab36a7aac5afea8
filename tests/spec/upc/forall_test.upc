/* SPDX-License-Identifier: BSD-3-Clause
 *
 * upc_forall (6.6.2) with every kind of affinity, step and bound; nested, also through functions; and compared with a
 * loop that tests each iteration: loops that the translator takes apart must run the same iterations in the same order
 * and leave the same values. */

#include <string.h>
#include <upc_relaxed.h>

#include "checks.uph"

#define N 97

shared int cyclic[N * THREADS];
shared [4] int fours[4 * N * THREADS];
shared [7] int sevens[N * THREADS];
shared [] int rest[N];
shared [*] double even[N * THREADS];
shared [3] int matrix[N * THREADS][5];

static int ran[8 * N * 16 + 64]; /* how often iteration i ran here, counted by its number plus 32 */
static int order;

#define CLEAR() (memset(ran, 0, sizeof ran), order = 0)
#define RAN(i) (ran[(i) + 32] += 1000 + order++)

/* Runs a loop by upc_forall and compares with a loop that tests whether each iteration is this thread's. */
#define COMPARE(first, condition, step, affinity, mine)                          \
  do {                                                                           \
    int i;                                                                       \
    CLEAR();                                                                     \
    upc_forall (first; condition; step; affinity) RAN(i);                        \
    const int last = i;                                                          \
    const int executed = order;                                                  \
    int expected = 0;                                                            \
    for (first; condition; step)                                                 \
      if (mine) {                                                                \
        SAME(ran[i + 32], 1000 + expected);                                      \
        ++expected;                                                              \
      } else                                                                     \
        SAME(ran[i + 32], 0);                                                    \
    SAME(executed, expected);                                                    \
    SAME(last, i);                                                               \
  } while (0)

#define OWNER(pointer) ((int)upc_threadof(pointer) == MYTHREAD)

static void integer_affinities(void) {
  COMPARE(i = 0, i < N, ++i, i, i % THREADS == MYTHREAD);
  COMPARE(i = 0, i < N, i++, i + 3, (i + 3) % THREADS == MYTHREAD);
  COMPARE(i = 5, i <= N, i += 1, i - 5, (i - 5) % THREADS == MYTHREAD);
  COMPARE(i = 0, i < N, i += 3, i, i % THREADS == MYTHREAD);
  COMPARE(i = 0, i < N, i += 3, i / 3, i / 3 % THREADS == MYTHREAD);
  COMPARE(i = N, i > 0, --i, i, i % THREADS == MYTHREAD);
  COMPARE(i = N, i >= 0, i -= 2, 2 * i, 2 * i % THREADS == MYTHREAD);
  COMPARE(i = 0, i < N, ++i, 0, MYTHREAD == 0);
  COMPARE(i = 0, i < N, ++i, THREADS - 1, MYTHREAD == THREADS - 1);
  COMPARE(i = 0, i < N, ++i, i * i, i * i % THREADS == MYTHREAD);
  COMPARE(i = 0, i < N && i != 50, ++i, i, i % THREADS == MYTHREAD);
  COMPARE(i = 0, i != N, ++i, i, i % THREADS == MYTHREAD);
  COMPARE(i = 3, i < 3, ++i, i, i % THREADS == MYTHREAD);
  COMPARE(i = 9, i < 3, ++i, i, i % THREADS == MYTHREAD);
  COMPARE(i = -20, i < N, ++i, i + 20, (i + 20) % THREADS == MYTHREAD);
}

static void pointer_affinities(void) {
  const int all = N * THREADS;
  COMPARE(i = 0, i < all, ++i, &cyclic[i], OWNER(&cyclic[i]));
  COMPARE(i = 0, i < all, i++, &sevens[i], OWNER(&sevens[i]));
  COMPARE(i = 2, i < all - 3, i++, &fours[i], OWNER(&fours[i]));
  COMPARE(i = 1, i < all - 1, i++, &fours[i + 1], OWNER(&fours[i + 1]));
  COMPARE(i = 1, i < all - 1, i++, &sevens[i - 1], OWNER(&sevens[i - 1]));
  COMPARE(i = 0, i < all / 2, ++i, &fours[2 * i], OWNER(&fours[2 * i]));
  COMPARE(i = 0, i < all, i += 5, &fours[i], OWNER(&fours[i]));
  COMPARE(i = all - 1, i >= 0, --i, &sevens[i], OWNER(&sevens[i]));
  COMPARE(i = 0, i < N, ++i, &rest[i], MYTHREAD == 0);
  COMPARE(i = 0, i < all, ++i, &even[i], OWNER(&even[i]));
  COMPARE(i = 0, i < all, ++i, even + i, OWNER(even + i));
  COMPARE(i = 0, i < all, ++i, &matrix[i][2], OWNER(&matrix[i][2]));
  COMPARE(i = 0, i < all, ++i, matrix[i], OWNER(&matrix[i][0]));
  COMPARE(i = 0, i < all, ++i, &cyclic[all - 1 - i], OWNER(&cyclic[all - 1 - i]));
  COMPARE(i = 0, i < N, ++i, &cyclic[1], OWNER(&cyclic[1]));
  shared [7] int* moving = sevens + 3;
  COMPARE(i = 0, i < all - 3, ++i, moving + i, OWNER(moving + i));
  COMPARE(i = 0, i < all - 3, ++i, &moving[i], OWNER(&moving[i]));
}

static void without_affinity_all_run_all(void) {
  COMPARE(i = 0, i < N, ++i, continue, 1);
  COMPARE(i = 0, i < N, ++i, , 1);
}

/* Loops whose bound, step or index the body changes, and other types of index. */
static void loops_that_resist(void) {
  int i, limit = 40, count = 0;
  upc_forall (i = 0; i < limit; ++i; continue) if (i == 10) limit = 30;
  SAME(i, 30);
  upc_forall (i = 0; i < 40; ++i; continue) {
    ++i;
    ++count;
  }
  SAME(count, 20);
  count = 0;
  unsigned char small;
  upc_forall (small = 0; small < 200; ++small; small) ++count;
  int expected = 0;
  for (int k = 0; k < 200; ++k) expected += k % THREADS == MYTHREAD;
  SAME(count, expected);
  count = 0;
  upc_forall (size_t k = 0; k < 3 * THREADS; ++k; &cyclic[k]) ++count;
  SAME(count, 3);
  count = 0;
  upc_forall (long long k = 4000000000LL; k < 4000000000LL + 2 * THREADS; ++k; k) ++count;
  SAME(count, 2);
  count = 0;
  upc_forall (int k = 0, m = 10; k < m; ++k, --m; k) count += m;
  expected = 0;
  for (int k = 0, m = 10; k < m; ++k, --m)
    if (k % THREADS == MYTHREAD) expected += m;
  SAME(count, expected);
  shared int* p;
  count = 0;
  upc_forall (p = cyclic; p < cyclic + 5 * THREADS; ++p; p) ++count;
  SAME(count, 5);
  CHECK(p == cyclic + 5 * THREADS);
}

static int firsts, conditions, steps;
static int first(void) { return firsts++; }
static int condition(void) { return ++conditions; }
static int step(void) { return ++steps; }

/* Every thread evaluates the clauses of every iteration (6.6.2, 10). */
static void clauses_are_evaluated_by_all(void) {
  int i, bodies = 0;
  upc_forall ((first(), i = 0); (condition(), i < 10); (step(), i++); i) ++bodies;
  SAME(firsts, 1);
  SAME(conditions, 11);
  SAME(steps, 10);
  int mine = 0;
  for (i = 0; i < 10; ++i) mine += i % THREADS == MYTHREAD;
  SAME(bodies, mine);
}

static void body_with_continue(void) {
  int i, count = 0, expected = 0;
  upc_forall (i = 0; i < N; ++i; &fours[i]) {
    if (i % 3 == 0) continue;
    for (int k = 0;; ++k) {
      if (k == 2) break;
      ++count;
    }
    switch (i % 5) {
      case 0: count += 10; break;
      default: break;
    }
  }
  for (i = 0; i < N; ++i)
    if (OWNER(&fours[i]) && i % 3) expected += 2 + (i % 5 ? 0 : 10);
  SAME(count, expected);
}

static int inner_loop(void) {
  int count = 0, k;
  upc_forall (k = 0; k < 12; ++k; k) ++count;
  return count;
}

/* The outermost loop with an affinity decides, also for loops in functions that it calls (6.6.2, 8). */
static void nested_loops_are_run_whole(void) {
  int i, j, k, count = 0, expected = 0;
  upc_forall (i = 0; i < 10; ++i; i) count += inner_loop();
  for (i = 0; i < 10; ++i) expected += i % THREADS == MYTHREAD ? 12 : 0;
  SAME(count, expected);
  count = 0;
  upc_forall (i = 0; i < 4; ++i; continue)
    upc_forall (j = 0; j < N; ++j; &fours[j])
      upc_forall (k = 0; k < 5; ++k; &cyclic[k]) ++count;
  expected = 0;
  for (j = 0; j < N; ++j) expected += OWNER(&fours[j]) ? 20 : 0;
  SAME(count, expected);
  int own = 0;
  for (k = 0; k < 12; ++k) own += k % THREADS == MYTHREAD;
  SAME(inner_loop(), own); /* after the loops above */
  upc_forall (i = 0; i < 2; ++i; continue) SAME(inner_loop(), own);
}

static int leaves_early(int way) {
  int count = 0, k;
  upc_forall (k = 0; k < 4 * THREADS; ++k; k) {
    count += inner_loop();
    if (way == 0) return count;
    if (way == 1) goto out;
    if (way == 2) break;
  }
out:
  return count;
}

/* A loop that is left in another way than by its condition does not decide afterwards. */
static void loops_that_are_left_do_not_decide(void) {
  const int own = inner_loop();
  for (int way = 0; way < 3; ++way) {
    SAME(leaves_early(way), 12);
    SAME(inner_loop(), own);
  }
}

/* Every THREADS-th element, from each begin to each end. */
static void cycles_visit_every_element_once(void) {
  for (int first = 0; first < 2 * THREADS; ++first)
    for (int last = first; last < first + 3 * THREADS; ++last) {
      int i;
      upc_barrier;
      upc_forall (i = 0; i < N * THREADS; ++i; i) cyclic[i] = i;
      upc_barrier;
      upc_forall (i = first; i < last; ++i; &cyclic[i]) cyclic[i] += 1000;
      upc_forall (i = first; i < last; ++i; i + 1) cyclic[i + 1] += 2000;
      upc_barrier;
      for (i = 0; i < 6 * THREADS; ++i)
        SAME(cyclic[i], i + (i >= first && i < last ? 1000 : 0) + (i > first && i <= last ? 2000 : 0));
    }
  upc_barrier;
}

/* Owned elements, their neighbours, and elements anywhere. */
static void loops_compute(void) {
  int i;
  upc_forall (i = 0; i < N * THREADS; ++i; &sevens[i]) sevens[i] = 3 * i;
  upc_forall (i = 0; i < N * THREADS; ++i; &cyclic[i]) cyclic[i] = i;
  upc_forall (i = 0; i < N * THREADS; ++i; &even[i]) even[i] = i;
  upc_barrier;
  upc_forall (i = 1; i < N * THREADS - 1; ++i; &even[i]) even[i] += cyclic[i ^ 1] + sevens[i - 1] + sevens[i + 1];
  upc_barrier;
  for (i = 1; i < N * THREADS - 1; ++i)
    if ((i ^ 1) < N * THREADS) CHECK(even[i] == i + (i ^ 1) + 6 * i);
  upc_barrier;
  upc_forall (i = 0; i < N * THREADS; ++i; &sevens[i]) {
    sevens[i]++;
    sevens[i] *= 2;
    int* own = (int*)&sevens[i];
    *own += 1;
  }
  upc_barrier;
  for (i = 0; i < N * THREADS; ++i) SAME(sevens[i], 2 * (3 * i + 1) + 1);
}

int main(void) {
  integer_affinities();
  pointer_affinities();
  without_affinity_all_run_all();
  loops_that_resist();
  clauses_are_evaluated_by_all();
  body_with_continue();
  nested_loops_are_run_whole();
  loops_that_are_left_do_not_decide();
  cycles_visit_every_element_once();
  loops_compute();
  return check_result();
}
