/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collective functions (upc_collective.h): each against a loop of element accesses, under all nine combinations of
 * synchronisation flags, with blocks of several sizes, and reductions of every type and operation. */

#include <string.h>
#include <upc_collective.h>
#include <upc_relaxed.h>

#include "checks.uph"

#define BLOCK 6

shared [BLOCK] int source[BLOCK * THREADS];
shared [BLOCK] int target[BLOCK * THREADS];
shared [] int whole[BLOCK * 64];
shared int permutation[THREADS];

static const upc_flag_t in_flags[] = {UPC_IN_ALLSYNC, UPC_IN_MYSYNC, UPC_IN_NOSYNC};
static const upc_flag_t out_flags[] = {UPC_OUT_ALLSYNC, UPC_OUT_MYSYNC, UPC_OUT_NOSYNC};

/* With NOSYNC the program itself waits for all threads. */
static void before(int flags) {
  if (flags % 3 == 2) upc_barrier;
}
static void after(int flags) {
  if (flags / 3 == 2) upc_barrier;
}
#define FLAGS(flags) (in_flags[(flags) % 3] | out_flags[(flags) / 3])

static void fill_own(int round) {
  upc_barrier;
  for (int i = 0; i < BLOCK; ++i) {
    source[BLOCK * MYTHREAD + i] = 1000 * round + 100 * MYTHREAD + i;
    target[BLOCK * MYTHREAD + i] = -1;
  }
}

static void broadcast(int flags) {
  fill_own(flags);
  const int root = flags % THREADS;
  before(flags);
  upc_all_broadcast(target, &source[BLOCK * root], BLOCK * sizeof(int), FLAGS(flags));
  after(flags);
  for (int i = 0; i < BLOCK; ++i) SAME(target[BLOCK * MYTHREAD + i], 1000 * flags + 100 * root + i);
}

static void scatter_and_gather(int flags) {
  fill_own(flags);
  if (MYTHREAD == 0)
    for (int i = 0; i < BLOCK * THREADS; ++i) whole[i] = 7 * i + flags;
  before(flags);
  upc_all_scatter(target, whole, BLOCK * sizeof(int), FLAGS(flags));
  after(flags);
  for (int i = 0; i < BLOCK; ++i) SAME(target[BLOCK * MYTHREAD + i], 7 * (BLOCK * MYTHREAD + i) + flags);
  upc_barrier;
  upc_all_gather(whole, source, BLOCK * sizeof(int), FLAGS(flags));
  upc_barrier;
  for (int thread = 0; thread < THREADS; ++thread)
    for (int i = 0; i < BLOCK; ++i) SAME(whole[BLOCK * thread + i], 1000 * flags + 100 * thread + i);
}

static void gather_all_and_exchange(int flags) {
  shared int* all = (shared int*)upc_all_alloc(THREADS, THREADS * BLOCK * sizeof(int));
  shared int* sent = (shared int*)upc_all_alloc(THREADS, THREADS * BLOCK * sizeof(int));
  shared [] int* mine = (shared [] int*)&all[MYTHREAD];
  shared [] int* own = (shared [] int*)&sent[MYTHREAD];
  fill_own(flags);
  before(flags);
  upc_all_gather_all(all, source, BLOCK * sizeof(int), FLAGS(flags));
  after(flags);
  for (int thread = 0; thread < THREADS; ++thread)
    for (int i = 0; i < BLOCK; ++i) SAME(mine[BLOCK * thread + i], 1000 * flags + 100 * thread + i);
  for (int i = 0; i < BLOCK * THREADS; ++i) own[i] = 10000 * MYTHREAD + i;
  upc_barrier; /* all threads have read the receiving area */
  before(flags);
  upc_all_exchange(all, sent, BLOCK * sizeof(int), FLAGS(flags));
  after(flags);
  for (int thread = 0; thread < THREADS; ++thread)
    for (int i = 0; i < BLOCK; ++i) SAME(mine[BLOCK * thread + i], 10000 * thread + BLOCK * MYTHREAD + i);
  upc_barrier;
  upc_all_free(all);
  upc_all_free(sent);
}

static void permute(int flags) {
  fill_own(flags);
  permutation[MYTHREAD] = (MYTHREAD + flags) % THREADS;
  before(flags);
  upc_all_permute(target, source, permutation, BLOCK * sizeof(int), FLAGS(flags));
  after(flags);
  const int origin = (MYTHREAD + 9 * THREADS - flags) % THREADS;
  for (int i = 0; i < BLOCK; ++i) SAME(target[BLOCK * MYTHREAD + i], 1000 * flags + 100 * origin + i);
}

/* Reductions: the values are small, so that products and sums fit all types. */
#define ITEMS 5

#define REDUCTIONS(suffix, type, bits)                                                               \
  shared [ITEMS] type items_##suffix[ITEMS * THREADS];                                               \
  shared [ITEMS] type prefix_##suffix[ITEMS * THREADS];                                              \
  shared type result_##suffix[THREADS];                                                              \
  static type second_##suffix(type a, type b) { (void)a; return b; }                                 \
  static type smaller_##suffix(type a, type b) { return a < b ? a : b; }                             \
  static type apply_##suffix(int operation, type a, type b) {                                        \
    switch (operation) {                                                                             \
      case 0: return a + b;                                                                          \
      case 1: return a * b;                                                                          \
      case 2: return a < b ? a : b;                                                                  \
      case 3: return a > b ? a : b;                                                                  \
      case 4: return a && b;                                                                         \
      case 5: return a || b;                                                                         \
      case 6: return b;                                                                              \
      case 7: return a < b ? a : b;                                                                  \
      bits(type)                                                                                     \
    }                                                                                                \
    return 0;                                                                                        \
  }                                                                                                  \
  static void reduce_##suffix(void) {                                                                \
    static const upc_op_t operations[] = {UPC_ADD, UPC_MULT, UPC_MIN, UPC_MAX, UPC_LOGAND, UPC_LOGOR, \
                                          UPC_NONCOMM_FUNC, UPC_FUNC, UPC_AND, UPC_OR, UPC_XOR};     \
    const int count = (0 bits##_count) + 8;                                                          \
    for (int operation = 0; operation < count; ++operation) {                                        \
      const int first = operation % 3, many = ITEMS * THREADS - first - operation % 2;               \
      for (int i = 0; i < ITEMS; ++i)                                                                \
        items_##suffix[ITEMS * MYTHREAD + i] =                                                       \
            (type)(operation == 1 ? 1 + (i == 2 && MYTHREAD < 3) : 1 + (7 * i + 3 * MYTHREAD) % 5);  \
      type (*function)(type, type) = operation == 6 ? second_##suffix : smaller_##suffix;            \
      upc_barrier;                                                                                   \
      const int flags = operation % 9;                                                               \
      before(flags);                                                                                 \
      upc_all_reduce##suffix(&result_##suffix[operation % THREADS], &items_##suffix[first],          \
                             operations[operation], many, ITEMS, function, FLAGS(flags));            \
      upc_all_prefix_reduce##suffix(&prefix_##suffix[first], &items_##suffix[first],                 \
                                    operations[operation], many, ITEMS, function, FLAGS(flags));     \
      after(flags);                                                                                  \
      upc_barrier;                                                                                   \
      type expected = items_##suffix[first];                                                         \
      for (int i = 0; i < many; ++i) {                                                               \
        if (i > 0) expected = apply_##suffix(operation, expected, items_##suffix[first + i]);        \
        CHECK(prefix_##suffix[first + i] == expected);                                               \
      }                                                                                              \
      CHECK(result_##suffix[operation % THREADS] == expected);                                       \
      upc_barrier;                                                                                   \
    }                                                                                                \
  }

#define whole_numbers(type) \
  case 8: return a & b;     \
  case 9: return a | b;     \
  case 10: return a ^ b;
#define whole_numbers_count +3
#define no_bits(type)
#define no_bits_count

REDUCTIONS(C, signed char, whole_numbers)
REDUCTIONS(UC, unsigned char, whole_numbers)
REDUCTIONS(S, signed short, whole_numbers)
REDUCTIONS(US, unsigned short, whole_numbers)
REDUCTIONS(I, signed int, whole_numbers)
REDUCTIONS(UI, unsigned int, whole_numbers)
REDUCTIONS(L, signed long, whole_numbers)
REDUCTIONS(UL, unsigned long, whole_numbers)
REDUCTIONS(F, float, no_bits)
REDUCTIONS(D, double, no_bits)
REDUCTIONS(LD, long double, no_bits)

/* An area on one thread (block size 0), cyclic areas, and areas that begin on another thread than 0. */
shared [] long on_one[20];
shared long cyclic[4 * THREADS];
shared long sum_of_cyclic;

static void other_areas(void) {
  if (MYTHREAD == 0)
    for (int i = 0; i < 20; ++i) on_one[i] = i;
  for (int i = 0; i < 4; ++i) cyclic[i * THREADS + MYTHREAD] = i * THREADS + MYTHREAD;
  upc_barrier;
  upc_all_reduceL(&sum_of_cyclic, on_one, UPC_ADD, 20, 0, NULL, UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
  SAME(sum_of_cyclic, 190);
  upc_barrier;
  const int first = THREADS - 1, many = 3 * THREADS;
  upc_all_reduceL(&sum_of_cyclic, &cyclic[first], UPC_ADD, many, 1, NULL, UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC);
  long expected = 0;
  for (int i = 0; i < many; ++i) expected += first + i;
  SAME(sum_of_cyclic, expected);
  upc_barrier;
}

int main(void) {
  for (int flags = 0; flags < 9; ++flags) {
    broadcast(flags);
    scatter_and_gather(flags);
    gather_all_and_exchange(flags);
    permute(flags);
  }
  reduce_C();
  reduce_UC();
  reduce_S();
  reduce_US();
  reduce_I();
  reduce_UI();
  reduce_L();
  reduce_UL();
  reduce_F();
  reduce_D();
  reduce_LD();
  other_areas();
  return check_result();
}
