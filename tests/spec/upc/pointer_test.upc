/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arithmetic, comparison and conversion of pointers-to-shared (6.4.2, 6.4.3, 7.2.3), against the formulas of the
 * specification and with random steps: for element sizes and block sizes that are powers of two and others. */

#include <stddef.h>
#include <upc_relaxed.h>

#include "checks.uph"

typedef struct {
  char letters[3];
} triple;

typedef struct node {
  shared [] struct node* next;
  int values[4];
  struct {
    double x, y;
  } inner;
  unsigned few : 5, more : 11;
} node;

shared int ones[60 * THREADS];
shared [4] int fours[64 * THREADS];
shared [5] triple fives[50 * THREADS];
shared [7] double sevens[49 * THREADS];
shared [16] char sixteens[160 * THREADS];
shared [] long rest[200];
shared [3] node nodes[6 * THREADS];

/* A walk by random steps: the pointer has the thread and the phase of its element, and reads the element. */
#define WALK(name, type, block, array, length, same_value)                                       \
  static void name(void) {                                                                       \
    const int count = (int)(length);                                                             \
    int at = 0;                                                                                  \
    shared [block] type* p = &(array)[0];                                                        \
    for (int step = 0; step < 2000; ++step) {                                                    \
      const int next = (int)random_below(count);                                                 \
      switch (random_below(8)) {                                                                 \
        case 0: p += next - at; at = next; break;                                                \
        case 1: p = p + (next - at); at = next; break;                                           \
        case 2: p = next - at + p; at = next; break;                                             \
        case 3: p -= at - next; at = next; break;                                                \
        case 4: if (at + 1 < count) { ++p; ++at; } break;                                        \
        case 5: if (at > 0) { p--; --at; } break;                                                \
        case 6: p = &p[next - at]; at = next; break;                                             \
        default: if (at + 1 < count) { shared [block] type* q = p++; CHECK(q == &(array)[at]); ++at; } \
      }                                                                                          \
      SAME(upc_threadof(p), (block) ? (at / (block ? block : 1)) % THREADS : 0);                 \
      SAME(upc_phaseof(p), (block) ? at % (block ? block : 1) : 0);                              \
      CHECK(p == &(array)[at]);                                                                  \
      SAME(p - &(array)[0], at);                                                                 \
      SAME(&(array)[next] - p, next - at);                                                       \
      SAME(p < &(array)[next], at < next);                                                       \
      SAME(p <= &(array)[next], at <= next);                                                     \
      SAME(p > &(array)[next], at > next);                                                       \
      SAME(p >= &(array)[next], at >= next);                                                     \
      SAME(p != &(array)[next], at != next);                                                     \
      SAME(p[next - at] same_value, next % 120);                                                 \
      SAME((*p)same_value, at % 120);                                                            \
    }                                                                                            \
  }

WALK(walk_ones, int, 1, ones, 60 * THREADS, )
WALK(walk_fours, int, 4, fours, 64 * THREADS, )
WALK(walk_fives, triple, 5, fives, 50 * THREADS, .letters[1])
WALK(walk_sevens, double, 7, sevens, 49 * THREADS, )
WALK(walk_sixteens, char, 16, sixteens, 160 * THREADS, )
WALK(walk_rest, long, 0, rest, 200, )

static void fill(void) {
  int i;
  upc_forall (i = 0; i < 60 * THREADS; ++i; &ones[i]) ones[i] = i % 120;
  upc_forall (i = 0; i < 64 * THREADS; ++i; &fours[i]) fours[i] = i % 120;
  upc_forall (i = 0; i < 50 * THREADS; ++i; &fives[i]) fives[i].letters[1] = (char)(i % 120);
  upc_forall (i = 0; i < 49 * THREADS; ++i; &sevens[i]) sevens[i] = i % 120;
  upc_forall (i = 0; i < 160 * THREADS; ++i; &sixteens[i]) sixteens[i] = (char)(i % 120);
  upc_forall (i = 0; i < 200; ++i; &rest[i]) rest[i] = i % 120;
  upc_barrier;
}

/* Negative remainders round down, as the formulas with floor say (6.4.2, 3). */
static void steps_back_cross_blocks(void) {
  shared [4] int* p = &fours[9];
  p -= 6;
  CHECK(p == &fours[3]);
  SAME(upc_phaseof(p), 3);
  shared [4] int* end = fours + 64 * THREADS;
  SAME(end - fours, 64 * THREADS);
  CHECK(&end[-1] == &fours[64 * THREADS - 1]);
  SAME(upc_threadof(end), 0);
  SAME(upc_phaseof(end), 0);
}

static void casts_reset_the_phase(void) {
  shared [4] int* p = &fours[4 * MYTHREAD + 2];
  SAME(upc_phaseof(p), 2);
  shared void* generic = p;
  SAME(upc_phaseof(generic), 2); /* kept by a pointer to shared void (6.4.3, 3) */
  shared [4] int* back = (shared [4] int*)generic;
  SAME(upc_phaseof(back), 2);
  CHECK(back == p);
  shared [8] int* wider = (shared [8] int*)p;
  SAME(upc_phaseof(wider), 0);
  SAME(upc_threadof(wider), MYTHREAD);
  shared [] int* indefinite = (shared [] int*)p;
  SAME(upc_phaseof(indefinite), 0);
  SAME(upc_phaseof((shared [4] char*)p), 0);
  shared int* single = (shared int*)generic;
  SAME(upc_phaseof(single), 0);
  CHECK((shared void*)single == (shared void*)p);
  SAME(upc_phaseof(upc_resetphase(p)), 0);
  CHECK(upc_resetphase(p) == p);
  SAME(upc_addrfield(p), upc_addrfield(indefinite));
  SAME(upc_addrfield(p + 1) - upc_addrfield(p), sizeof(int));
  indefinite += 1;
  CHECK((int*)indefinite == (int*)p + 1);
}

static void null_is_no_object(void) {
  shared int* p = NULL;
  shared [] char* q = 0;
  shared void* generic = NULL;
  static shared [5] int* by_default;
  CHECK(p == NULL);
  CHECK(!q);
  CHECK(generic == 0);
  CHECK(by_default == NULL);
  CHECK((int*)p == NULL);
  if (p) CHECK(0);
  p = &ones[0];
  CHECK(p != NULL);
  CHECK(p ? 1 : 0);
  CHECK(p && !generic);
  p = (shared int*)NULL;
  CHECK(!(p || q));
}

/* The address of a member points to shared memory of indefinite layout (6.4.4). */
static void members_are_not_dealt(void) {
  const int at = 3 * MYTHREAD + 1;
  shared [] int* inside = &nodes[at].values[0];
  shared [] double* y = &nodes[at].inner.y;
  for (int i = 0; i < 4; ++i) {
    inside[i] = 10 * MYTHREAD + i;
    SAME(upc_threadof(&nodes[at].values[i]), MYTHREAD);
    SAME(*(nodes[at].values + i), 10 * MYTHREAD + i);
    SAME(nodes[at].values[i], 10 * MYTHREAD + i);
  }
  *y = MYTHREAD + 0.5;
  SAME(&nodes[at].values[3] - &nodes[at].values[0], 3);
  upc_barrier;
  for (int thread = 0; thread < THREADS; ++thread) {
    for (int i = 0; i < 4; ++i) SAME(nodes[3 * thread + 1].values[i], 10 * thread + i);
    CHECK(nodes[3 * thread + 1].inner.y == thread + 0.5);
    SAME((&nodes[3 * thread + 1])->values[2], 10 * thread + 2);
  }
}

/* A list over all threads, whose links are shared pointers to shared. */
static shared [] node* shared first;

static void lists_lead_over_all_threads(void) {
  for (int turn = 0; turn < THREADS; ++turn) {
    if (turn == MYTHREAD) {
      nodes[3 * MYTHREAD].next = first;
      nodes[3 * MYTHREAD].few = MYTHREAD;
      nodes[3 * MYTHREAD].more = 1000 + MYTHREAD;
      first = (shared [] node*)&nodes[3 * MYTHREAD];
    }
    upc_barrier;
  }
  int expected = THREADS;
  for (shared [] node* at = first; at != NULL; at = at->next) {
    SAME(at->few, --expected % 32);
    SAME(at->more, 1000 + expected);
    SAME(upc_threadof(at), expected);
  }
  SAME(expected, 0);
}

static int sum_of(shared [4] const int* from, int count) {
  int sum = 0;
  while (count-- > 0) sum += *from++;
  return sum;
}

static shared [4] int* larger(shared [4] int* a, shared [4] int* b) { return a > b ? a : b; }

static void pointers_go_through_functions(void) {
  int sum = 0;
  for (int i = 5; i < 25; ++i) sum += i;
  SAME(sum_of(&fours[5], 20), sum);
  CHECK(larger(fours, fours + 9) == &fours[9]);
  shared [4] int* several[3] = {&fours[1], fours, larger(&fours[2], &fours[3])};
  SAME(*several[2], 3);
  SAME(several[0][4], 5);
  struct {
    shared [4] int* p;
    int step;
  } cursor = {fours, 3};
  cursor.p += cursor.step;
  cursor.p++;
  SAME(*cursor.p, 4);
  shared [4] int** indirect = &cursor.p;
  SAME(*++*indirect, 5);
  SAME((*indirect)[1], 6);
  shared int* p = (MYTHREAD % 2 ? &ones[1] : &ones[2]);
  SAME(*p, MYTHREAD % 2 ? 1 : 2);
}

int main(void) {
  fill();
  walk_ones();
  walk_fours();
  walk_fives();
  walk_sevens();
  walk_sixteens();
  walk_rest();
  steps_back_cross_blocks();
  casts_reset_the_phase();
  null_is_no_object();
  members_are_not_dealt();
  lists_lead_over_all_threads();
  pointers_go_through_functions();
  return check_result();
}
