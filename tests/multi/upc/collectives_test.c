/* SPDX-License-Identifier: BSD-3-Clause

   Collectives compared with loops that follow the specification's text: every function with every
   pair of flags, reductions over layouts with all kinds of blocks, begins and phases, and functions
   that do not commute. */
#include <tests/multi/upc/unit.h>
#include <upc_collective.h>

#include <stdlib.h>
#include <string.h>

int failures;

static const struct atoll_upc_object objects[1];
__attribute__((constructor)) static void register_unit(void) {
  const struct atoll_upc_unit unit = {ATOLL_UPC_ABI_VERSION, 0, __FILE__, objects, 0, NULL, 0};
  atoll_upc_register_unit(&unit);
}

static const upc_flag_t all_flags[] = {
    0,
    UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC,
    UPC_IN_MYSYNC | UPC_OUT_MYSYNC,
    UPC_IN_NOSYNC | UPC_OUT_NOSYNC,
    UPC_IN_ALLSYNC | UPC_OUT_MYSYNC,
    UPC_IN_MYSYNC | UPC_OUT_ALLSYNC,
};

static atoll_upc_pointer on_thread(atoll_upc_pointer p, int thread, size_t bytes) {
  const atoll_upc_pointer moved = {p.offset + bytes, (uint32_t)thread, 0};
  return moved;
}

/* A byte that depends on thread, position and round. */
static char mark(int thread, size_t position, int round) {
  return (char)(thread * 37 + (int)position * 11 + round * 101);
}

static void fill_own(atoll_upc_pointer p, size_t bytes, int round) {
  size_t i;
  char* const own = atoll_upc_local(on_thread(p, atoll_upc_mythread, 0));
  for (i = 0; i < bytes; ++i) own[i] = mark(atoll_upc_mythread, i, round);
}

static int own_is(atoll_upc_pointer p, size_t at, size_t bytes, int thread, size_t from,
                  int round) {
  size_t i;
  const char* const own = atoll_upc_local(on_thread(p, atoll_upc_mythread, at));
  for (i = 0; i < bytes; ++i) {
    if (own[i] != mark(thread, from + i, round)) return 0;
  }
  return 1;
}

static void check_relocalization(size_t bytes, upc_flag_t flags, int round) {
  const int threads = ATOLL_UPC_THREADS;
  const size_t row = bytes * (size_t)threads;
  const atoll_upc_pointer src = upc_all_alloc((size_t)threads, row);
  const atoll_upc_pointer dst = upc_all_alloc((size_t)threads, row);
  const atoll_upc_pointer perm = upc_all_alloc((size_t)threads, sizeof(int));
  const int root = round % threads;
  const size_t me = (size_t)atoll_upc_mythread;
  int other;
  fill_own(src, row, round);
  *(int*)atoll_upc_local(on_thread(perm, atoll_upc_mythread, 0)) =
      (atoll_upc_mythread + 1 + round) % threads;
  atoll_upc_barrier(0, 0);

  upc_all_broadcast(dst, on_thread(src, root, 0), bytes, flags);
  atoll_upc_barrier(0, 0);
  EXPECT(own_is(dst, 0, bytes, root, 0, round));
  atoll_upc_barrier(0, 0);
  upc_all_scatter(dst, on_thread(src, root, 0), bytes, flags);
  atoll_upc_barrier(0, 0);
  EXPECT(own_is(dst, 0, bytes, root, me * bytes, round));
  atoll_upc_barrier(0, 0);
  upc_all_gather(on_thread(dst, root, 0), src, bytes, flags);
  atoll_upc_barrier(0, 0);
  for (other = 0; other < threads && atoll_upc_mythread == root; ++other) {
    EXPECT(own_is(dst, (size_t)other * bytes, bytes, other, 0, round));
  }
  atoll_upc_barrier(0, 0);
  upc_all_gather_all(dst, src, bytes, flags);
  atoll_upc_barrier(0, 0);
  for (other = 0; other < threads; ++other) {
    EXPECT(own_is(dst, (size_t)other * bytes, bytes, other, 0, round));
  }
  atoll_upc_barrier(0, 0);
  upc_all_exchange(dst, src, bytes, flags);
  atoll_upc_barrier(0, 0);
  for (other = 0; other < threads; ++other) {
    EXPECT(own_is(dst, (size_t)other * bytes, bytes, other, me * bytes, round));
  }
  atoll_upc_barrier(0, 0);
  upc_all_permute(dst, src, perm, bytes, flags);
  atoll_upc_barrier(0, 0);
  EXPECT(own_is(dst, 0, bytes,
                (atoll_upc_mythread + 2 * threads * (round + 1) - 1 - round) % threads, 0, round));
  upc_all_free(src);
  upc_all_free(dst);
  upc_all_free(perm);
}

/* Composition of x -> a x + b modulo 251, with a and b in the halves of a number: associative but
   not commutative. */
static int compose(int f, int g) {
  const int a = (f >> 16) * (g >> 16) % 251;
  const int b = ((g >> 16) * (f & 0xffff) + (g & 0xffff)) % 251;
  return a << 16 | b;
}
static double larger(double a, double b) { return a > b ? a : b; }

static int int_of(upc_op_t op, int a, int b) {
  switch (op) {
    case UPC_ADD:
      return a + b;
    case UPC_MULT:
      return (int)((unsigned)a * (unsigned)b);
    case UPC_AND:
      return a & b;
    case UPC_OR:
      return a | b;
    case UPC_XOR:
      return a ^ b;
    case UPC_LOGAND:
      return a && b;
    case UPC_LOGOR:
      return a || b;
    case UPC_MIN:
      return a < b ? a : b;
    case UPC_MAX:
      return a > b ? a : b;
    default:
      return compose(a, b);
  }
}

/* A number of the same sequence on all threads. */
static unsigned seed = 7;
static int random_below(int end) { return rand_r(&seed) % end; }

static void check_int_reduction(upc_op_t op, size_t count, size_t block, upc_flag_t flags) {
  const size_t threads = (size_t)ATOLL_UPC_THREADS;
  const size_t width = block == 0 ? count + 8 : block;
  const atoll_upc_pointer src = upc_all_alloc(threads * (count / width + 3), width * sizeof(int));
  const atoll_upc_pointer dst = upc_all_alloc(threads * (count / width + 3), width * sizeof(int));
  const int start = random_below((int)width * ATOLL_UPC_THREADS);
  const atoll_upc_pointer from = block == 0 ? on_thread(src, start % ATOLL_UPC_THREADS, 0)
                                            : atoll_upc_add(src, start, sizeof(int), block);
  const atoll_upc_pointer to = block == 0 ? on_thread(dst, start % ATOLL_UPC_THREADS, 0)
                                          : atoll_upc_add(dst, start, sizeof(int), block);
  const int result_thread = random_below(ATOLL_UPC_THREADS);
  const atoll_upc_pointer result = on_thread(dst, result_thread, 0);
  int* const expected = malloc((count + 1) * sizeof(int));
  size_t i;
  for (i = 0; i < count; ++i) {
    const atoll_upc_pointer each = atoll_upc_add(from, (ptrdiff_t)i, sizeof(int), block);
    const int value = random_below(250) + 1 + ((random_below(200) + 1) << 16);
    if (ATOLL_UPC_AFFINITY_POINTER(each)) ATOLL_UPC_PUT(int, each, value);
    expected[i] = i == 0 ? value : int_of(op, expected[i - 1], value);
  }
  atoll_upc_barrier(0, 0);
  upc_all_prefix_reduceI(to, from, op, count, block, compose, flags);
  atoll_upc_barrier(0, 0);
  for (i = 0; i < count; ++i) {
    EXPECT(ATOLL_UPC_GET(int, atoll_upc_add(to, (ptrdiff_t)i, sizeof(int), block)) == expected[i]);
  }
  atoll_upc_barrier(0, 0);
  upc_all_reduceI(result, from, op, count, block, compose, flags);
  atoll_upc_barrier(0, 0);
  EXPECT(ATOLL_UPC_GET(int, result) == expected[count - 1]);
  free(expected);
  upc_all_free(src);
  upc_all_free(dst);
}

static void check_reductions(void) {
  static const upc_op_t ops[] = {UPC_ADD,    UPC_MULT,  UPC_AND, UPC_OR,  UPC_XOR,
                                 UPC_LOGAND, UPC_LOGOR, UPC_MIN, UPC_MAX, UPC_NONCOMM_FUNC};
  static const size_t blocks[] = {0, 1, 2, 3, 7, 40};
  size_t i, j;
  for (i = 0; i < sizeof ops / sizeof ops[0]; ++i) {
    for (j = 0; j < sizeof blocks / sizeof blocks[0]; ++j) {
      check_int_reduction(ops[i], 1, blocks[j], 0);
      check_int_reduction(ops[i], 1 + (size_t)random_below(60), blocks[j],
                          all_flags[random_below(6)]);
    }
  }
}

/* Every type once: the sum of 1 to 3 * THREADS, and the largest by a function. */
#define CHECK_TYPE(T, TYPE)                                                                   \
  do {                                                                                        \
    const size_t count = 3 * (size_t)ATOLL_UPC_THREADS;                                       \
    const atoll_upc_pointer src = upc_all_alloc((size_t)ATOLL_UPC_THREADS, 3 * sizeof(TYPE)); \
    const atoll_upc_pointer dst = upc_all_alloc((size_t)ATOLL_UPC_THREADS, 3 * sizeof(TYPE)); \
    size_t i;                                                                                 \
    for (i = 0; i < count; ++i) {                                                             \
      const atoll_upc_pointer each = atoll_upc_add(src, (ptrdiff_t)i, sizeof(TYPE), 1);       \
      if (ATOLL_UPC_AFFINITY_POINTER(each)) ATOLL_UPC_PUT(TYPE, each, (TYPE)(i + 1));         \
    }                                                                                         \
    upc_all_reduce##T(dst, src, UPC_ADD, count, 1, NULL, 0);                                  \
    EXPECT(ATOLL_UPC_GET(TYPE, dst) == (TYPE)(count * (count + 1) / 2));                      \
    atoll_upc_barrier(0, 0);                                                                  \
    upc_all_prefix_reduce##T(dst, src, UPC_MAX, count, 1, NULL, 0);                           \
    EXPECT(ATOLL_UPC_GET(TYPE, atoll_upc_add(dst, (ptrdiff_t)count - 1, sizeof(TYPE), 1)) ==  \
           (TYPE)count);                                                                      \
    upc_all_free(src);                                                                        \
    upc_all_free(dst);                                                                        \
  } while (0)

static void check_function(void) {
  const atoll_upc_pointer src = upc_all_alloc((size_t)ATOLL_UPC_THREADS, sizeof(double));
  const atoll_upc_pointer dst = upc_all_alloc(1, sizeof(double));
  ATOLL_UPC_PUT(double, on_thread(src, atoll_upc_mythread, 0), -2.5 - atoll_upc_mythread);
  upc_all_reduceD(dst, src, UPC_FUNC, (size_t)ATOLL_UPC_THREADS, 1, larger, 0);
  EXPECT(ATOLL_UPC_GET(double, dst) == -2.5);
  upc_all_free(src);
  upc_all_free(dst);
}

static void check_result_on_all(void) {
  const atoll_upc_pointer src = upc_all_alloc((size_t)ATOLL_UPC_THREADS, sizeof(int));
  const atoll_upc_pointer dst = upc_all_alloc((size_t)ATOLL_UPC_THREADS, sizeof(int));
  const atoll_upc_pointer own = on_thread(dst, atoll_upc_mythread, 0);
  int i, expected = 1 << 16 | 1;
  for (i = 1; i < ATOLL_UPC_THREADS; ++i) expected = compose(expected, (i + 1) << 16 | 1);
  ATOLL_UPC_PUT(int, on_thread(src, atoll_upc_mythread, 0), (atoll_upc_mythread + 1) << 16 | 1);
  bupc_all_reduce_allI(dst, src, UPC_NONCOMM_FUNC, (size_t)ATOLL_UPC_THREADS, 1, compose, 0);
  EXPECT(ATOLL_UPC_GET(int, own) == expected);
  bupc_all_reduce_allI(dst, src, UPC_MAX, (size_t)ATOLL_UPC_THREADS, 1, NULL, 0);
  EXPECT(ATOLL_UPC_GET(int, own) == (ATOLL_UPC_THREADS << 16 | 1));
  upc_all_free(src);
  upc_all_free(dst);
}

int atoll_upc_program(int count, char** words) {
  size_t i;
  (void)count, (void)words;
  for (i = 0; i < sizeof all_flags / sizeof all_flags[0]; ++i) {
    check_relocalization(1, all_flags[i], (int)i);
    check_relocalization(24 + i, all_flags[i], (int)i + 1);
    check_relocalization(20000, all_flags[i], (int)i + 2);
  }
  check_reductions();
  CHECK_TYPE(C, signed char);
  CHECK_TYPE(UC, unsigned char);
  CHECK_TYPE(S, short);
  CHECK_TYPE(US, unsigned short);
  CHECK_TYPE(I, int);
  CHECK_TYPE(UI, unsigned);
  CHECK_TYPE(L, long);
  CHECK_TYPE(UL, unsigned long);
  CHECK_TYPE(F, float);
  CHECK_TYPE(D, double);
  CHECK_TYPE(LD, long double);
  check_function();
  check_result_on_all();
  return failures != 0;
}
