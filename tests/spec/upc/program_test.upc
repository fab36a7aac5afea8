/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs as a whole: predefined names and macros (6.3, 6.7.2), words that are keywords only after preprocessing,
 * what C has apart from UPC, arguments of main, and the ways to end, which the first argument names: a return, exit
 * on one thread or all, upc_global_exit, and barriers that do not match. */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <upc.h>
#include <upc_types.h>

#include "checks.uph"

#if __UPC__ != 1
#error "__UPC__ is not 1"
#endif
#if __UPC_VERSION__ != 201311L
#error "__UPC_VERSION__ is not that of UPC 1.3"
#endif
#if UPC_MAX_BLOCK_SIZE < 65535
#error "UPC_MAX_BLOCK_SIZE is small"
#endif
#if defined(__UPC_STATIC_THREADS__) == defined(__UPC_DYNAMIC_THREADS__)
#error "one of the environments must be defined"
#endif
#ifdef __UPC_STATIC_THREADS__
#if THREADS < 1
#error "THREADS is no constant of the preprocessor"
#endif
#if __UPC_STATIC_THREADS__ != 1
#error "__UPC_STATIC_THREADS__ is not 1"
#endif
shared int any_size[10 + THREADS];
shared int square[THREADS * THREADS];
shared int twice[THREADS][4 * THREADS];
shared int twelve[12];
int private_by_threads[THREADS];
#endif
#if !__UPC_COLLECTIVE__ || !__UPC_TICK__ || !__UPC_ATOMIC__ || !__UPC_CASTABLE__ || !__UPC_NB__ || __UPC_IO__ < 1
#error "an optional library is not announced"
#endif
#if (UPC_IN_ALLSYNC | UPC_IN_MYSYNC | UPC_IN_NOSYNC | UPC_OUT_ALLSYNC | UPC_OUT_MYSYNC | UPC_OUT_NOSYNC) >= 64
#error "the flags are not below 64"
#endif
#if (UPC_ADD | UPC_MULT | UPC_AND | UPC_OR | UPC_XOR | UPC_LOGAND | UPC_LOGOR | UPC_MIN | UPC_MAX) >= 65536
#error "the operations are not below 65536"
#endif

#define text_of(word) #word
#define text(word) text_of(word)
#define join(a, b) a##b

static void words_are_keywords_after_preprocessing(void) {
  CHECK(strcmp(text(shared), "shared") == 0);
  CHECK(strcmp(text(upc_barrier), "upc_barrier") == 0);
  int join(upc_, value) = 3;
  SAME(upc_value, 3);
  CHECK(strcmp("shared [4] int", text(shared [4] int)) == 0); /* upc_forall in a comment */
#define pause upc_barrier
  pause;
#undef pause
}

static void types_are_distinct(void) {
  const int types[] = {UPC_CHAR,  UPC_UCHAR,  UPC_SHORT, UPC_USHORT, UPC_INT,   UPC_UINT,  UPC_LONG,   UPC_ULONG,
                       UPC_LLONG, UPC_ULLONG, UPC_INT8,  UPC_UINT8,  UPC_INT16, UPC_UINT16, UPC_INT32, UPC_UINT32,
                       UPC_INT64, UPC_UINT64, UPC_FLOAT, UPC_DOUBLE, UPC_LDOUBLE, UPC_PTS};
  const int count = sizeof types / sizeof types[0];
  for (int i = 0; i < count; ++i) {
    CHECK(types[i] > 0 && types[i] < 65536);
    for (int j = 0; j < i; ++j) CHECK(types[i] != types[j]);
  }
}

static inline int doubled(int value) { return 2 * value; }

static int sum_all(int count, ...) {
  va_list list;
  int sum = 0;
  va_start(list, count);
  while (count-- > 0) sum += va_arg(list, int);
  va_end(list);
  return sum;
}

static int older(a, b) int a, b;
{ return a - b; }

struct matrix {
  int rows, columns;
  double values[];
};

/* Features of C in a UPC program. */
static void features_of_c(int length) {
  int variable[length];
  for (int i = 0; i < length; ++i) variable[i] = i;
  SAME(sizeof variable, length * sizeof(int));
  SAME(variable[length - 1], length - 1);
  const int* restrict literal = (int[]){[2] = 7, [0] = 1};
  SAME(literal[0] + literal[1] + literal[2], 8);
  SAME(((struct { int x, y; }){.y = 4}).y, 4);
  SAME(doubled(3), 6);
  SAME(sum_all(3, 1, 2, 3), 6);
  SAME(older(9, 4), 5);
  struct matrix* flexible = malloc(sizeof *flexible + 4 * sizeof(double));
  flexible->values[3] = 1.5;
  CHECK(flexible->values[3] == 1.5);
  free(flexible);
  int (*function)(int) = doubled;
  SAME((*function)(4), 8);
  jmp_buf place;
  volatile int times = 0;
  if (setjmp(place) == 0) {
    times = 1;
    longjmp(place, 2);
  }
  SAME(times, 1);
  goto out;
out:;
  long double wide = 1.0L / 3;
  CHECK(wide * 3 > 0.99L);
  _Bool truth = 5;
  SAME(truth, 1);
  SAME(sizeof("text"), 5);
  typeof(length) same = __extension__({ int inner = length; inner + 1; });
  SAME(same, length + 1);
}

/* Names of types whose size is known when the program starts; one shared array has such a type. */
typedef int row[THREADS];
typedef row* row_pointer;
typedef double grid[3][2 * THREADS];
shared row one_each;
static int last_of(row* values) { return (*values)[THREADS - 1]; }

static void types_may_have_threads(void) {
  row values;
  grid numbers;
  row_pointer pointer = &values;
  values[THREADS - 1] = 30 + THREADS;
  numbers[2][2 * THREADS - 1] = 2.5;
  SAME(last_of(&values), 30 + THREADS);
  SAME(last_of((row*)pointer), 30 + THREADS);
  SAME(sizeof(row), THREADS * sizeof(int));
  SAME(sizeof values, THREADS * sizeof(int));
  SAME(sizeof(grid), 6 * THREADS * sizeof(double));
  CHECK(numbers[2][2 * THREADS - 1] == 2.5);
  one_each[MYTHREAD] = MYTHREAD;
  SAME(*(int*)&one_each[MYTHREAD], MYTHREAD);
}

/* Parameters that are arrays are pointers, also without a name, and in the old style. */
static int second_of(shared int[], shared const struct matrix[4]);
static int second_of(shared int values[5], shared const struct matrix* other) { return values[1] + (other != NULL); }
static int older_sum(values, count, rows) shared int values[5], rows[][2];
int count;
{ return values[count] + rows[0][1]; }

/* Pointers to functions in shared memory; a thread calls only those that it wrote, since each thread is a process. */
static shared int four_ints[4 * THREADS];
static shared int* next_of(shared int* p) { return p + 1; }
static int (*shared of_private)(int);
shared int* (*shared [2] steps[2 * THREADS])(shared int[]);

static void parameters_and_pointers_to_functions(void) {
  if (MYTHREAD == 0) {
    four_ints[1] = 7;
    of_private = doubled;
  }
  steps[2 * MYTHREAD + 1] = next_of;
  upc_barrier;
  SAME(second_of(four_ints, NULL), 7);
  SAME(older_sum(four_ints, 1, (shared int(*)[2])four_ints), 14);
  if (MYTHREAD == 0) SAME(of_private(4) + (*of_private)(1), 10);
  SAME(*steps[2 * MYTHREAD + 1](four_ints), 7);
  SAME(sizeof(shared int[5]), 5 * sizeof(int));
}

static void threads_are_numbered(void) {
  const int me = MYTHREAD;
  CHECK(me >= 0 && me < THREADS);
  SAME(MYTHREAD + 1 - 1, me);
  SAME(sizeof(MYTHREAD), sizeof(int));
  SAME(sizeof(THREADS), sizeof(int));
}

static void at_the_end(void) { printf("thread %d has ended\n", MYTHREAD); }

/* Berkeley's pragma: keywords of UPC are ordinary names until the next pragma. */
#pragma upc c_code
static int names_of_c(int shared) {
  int strict = shared, relaxed = 1;
  return strict + relaxed;
}
#pragma upc upc_code

/* Does a known number of operations of each kind, for the table of UPC_STATS. */
static shared long counted[THREADS];
static void be_counted(void) {
  const int right = (MYTHREAD + 1) % THREADS;
  upc_lock_t* lock = upc_all_lock_alloc();
  long sum = 0;
  for (int i = 0; i < 100; ++i) sum += counted[right];
  for (int i = 0; i < 50; ++i) counted[right] = sum + i;
  for (int i = 0; i < 7; ++i) upc_barrier;
  for (int i = 0; i < 3; ++i) {
    upc_lock(lock);
    upc_unlock(lock);
  }
  SAME(counted[MYTHREAD], 49);
}

static int end_by(const char* way, int argc, char** argv) {
  if (strcmp(way, "arguments") == 0) {
    SAME(argc, 4);
    CHECK(strcmp(argv[2], "two words") == 0);
    CHECK(strcmp(argv[3], "-n") == 0);
    CHECK(argv[4] == NULL);
  } else if (strcmp(way, "exit") == 0) {
    exit(check_result());
  } else if (strcmp(way, "exit_one") == 0) {
    atexit(at_the_end);
    if (MYTHREAD == THREADS - 1) exit(0); /* joins the last barrier like the others */
  } else if (strcmp(way, "code") == 0) {
    return MYTHREAD == THREADS - 1 ? 7 : 0;
  } else if (strcmp(way, "global") == 0) {
    if (MYTHREAD == THREADS - 1) upc_global_exit(9);
    for (;;) upc_barrier; /* never left */
  } else if (strcmp(way, "mismatch") == 0) {
    upc_barrier MYTHREAD;
  } else if (strcmp(way, "wait_differs") == 0) {
    upc_notify 3;
    upc_wait 4;
  } else if (strcmp(way, "two_notifies") == 0) {
    upc_notify;
    upc_notify;
  } else if (strcmp(way, "counted") == 0) {
    be_counted();
  } else if (strcmp(way, "notify_and_barrier") == 0) {
    upc_notify;
    upc_barrier;
    upc_wait;
  } else if (strcmp(way, "wait_first") == 0) {
    upc_wait;
  }
  return check_result();
}

/* GNU C allows a semicolon after a function; the next function is a separate declaration. */
static shared int behind[THREADS];
static shared int* first_behind(void) { return behind; };
static int next_behind(void) {
  behind[MYTHREAD] = MYTHREAD + 5;
  return ((const shared int*)first_behind())[MYTHREAD];
}

int main(int argc, char** argv) {
  if (argc > 1) return end_by(argv[1], argc, argv);
  words_are_keywords_after_preprocessing();
  types_are_distinct();
  features_of_c(5);
  threads_are_numbered();
  types_may_have_threads();
  parameters_and_pointers_to_functions();
  SAME(next_behind(), MYTHREAD + 5);
  SAME(names_of_c(4), 5);
#ifdef __UPC_STATIC_THREADS__
  SAME(sizeof(private_by_threads), THREADS * sizeof(int));
  SAME(sizeof(twice), 4 * THREADS * THREADS * sizeof(int));
  SAME(upc_threadof(&square[THREADS * THREADS - 1]), THREADS - 1);
  SAME(upc_threadof(&any_size[9]), 9 % THREADS);
  SAME(upc_threadof(&twelve[11]), 11 % THREADS);
#endif
  return check_result();
}
