/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The content of the examples in the three parts of the specification, by section, each written anew: declarations,
 * pointers, loops, the memory model, and the functions of the libraries. Declarations that must be refused are in
 * tests/compile_fail/upc, and statements that must end the program are in program_test.upc. */

#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <upc_atomic.h>
#include <upc_collective.h>
#include <upc_io.h>
#include <upc_nb.h>
#include <upc_relaxed.h>
#include <upc_tick.h>

#include "checks.uph"

/* ---- 6.5.1.1 and 6.5.2.1: declarations -------------------------------------------------------- */

strict shared int y_strict;
shared int by_ten[10 * THREADS];
shared int by_product[THREADS * (100 * 20)];
shared [] int together[10];
typedef int S[10];
shared [3] S T_of_S[3 * THREADS];
shared [3] int T_plain[3 * THREADS][10];
shared [] double D[100];
shared [] long* to_longs;

#ifdef __UPC_STATIC_THREADS__
shared int plus[10 + THREADS];
shared [] int on_one[THREADS];
shared int ten[10];
shared int both_ways[THREADS][4 * THREADS];
shared int squared[THREADS * THREADS];
shared int times[THREADS * 100 * 20];
shared int (**p_squared)[THREADS][THREADS];
typedef shared int (*t_squared)[THREADS][13][THREADS];
void* q;
shared [3] int blocks_of_three[10];

static void declarations_for_a_known_number(void) {
  shared void* p = (shared int (*)[THREADS][THREADS])ten;
  CHECK(p == ten);
  SAME(sizeof(plus), (10 + THREADS) * sizeof(int));
  for (int i = 0; i < THREADS; ++i) SAME(upc_threadof(&on_one[i]), 0);
  SAME(sizeof(both_ways), 4 * THREADS * THREADS * sizeof(int));
  SAME(sizeof(squared) / sizeof(int), THREADS * THREADS);
  SAME(sizeof(times) / sizeof(int), 2000 * THREADS);
  SAME(sizeof(**p_squared), sizeof(squared));
  SAME(sizeof(*(t_squared)0), 13 * sizeof(squared));
  for (int i = 0; i < 10; ++i) { /* elements 0, 1, 2 and 9 on one thread where there are three */
    SAME(upc_threadof(&blocks_of_three[i]), i / 3 % THREADS);
    SAME(upc_phaseof(&blocks_of_three[i]), i % 3);
  }
}
#endif

static void declarations(void) {
  SAME(upc_threadof(&y_strict), 0);
  SAME(sizeof(by_ten) / sizeof(by_ten[0]), 10 * THREADS);
  SAME(sizeof(by_product) / sizeof(int), 2000 * THREADS);
  for (int i = 0; i < 10; ++i) SAME(upc_threadof(&together[i]), 0);
  SAME(sizeof(T_of_S), sizeof(T_plain));
  for (int i = 0; i < 3 * THREADS; ++i)
    for (int j = 0; j < 10; ++j) { /* blocks are of the ultimate element */
      SAME(upc_threadof(&T_of_S[i][j]), (10 * i + j) / 3 % THREADS);
      SAME(upc_threadof(&T_of_S[i][j]), upc_threadof(&T_plain[i][j]));
      SAME(upc_phaseof(&T_of_S[i][j]), upc_phaseof(&T_plain[i][j]));
    }
  for (int i = 0; i < 100; ++i) SAME(upc_threadof(&D[i]), 0);
  to_longs = (shared [] long*)upc_alloc(3 * sizeof(long));
  SAME(upc_threadof(to_longs + 2), MYTHREAD);
  upc_free(to_longs);
}

/* ---- 6.4.2 and 6.4.3: pointers ---------------------------------------------------------------- */

#define B 4
shared [B] double elements[3 * B * THREADS];

static void pointers(void) {
  const int count = 3 * B * THREADS;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      shared [B] double *p = &elements[i], *p1 = p + (j - i);
      const long delta = upc_phaseof(p) + (j - i);
      const long turns = delta >= 0 ? delta / B : -((B - 1 - delta) / B);
      SAME(upc_phaseof(p1), delta - turns * B);
      SAME(upc_threadof(p1), ((long)upc_threadof(p) + turns + 100L * THREADS) % THREADS);
      CHECK(p1 == &elements[j]);
    }
  shared [] double *S1 = (shared [] double*)&elements[B * MYTHREAD], *S2 = S1 + 3;
  double *P1 = (double*)S1, *P2 = (double*)S2; /* S1 and S2 are of one array, and so are P1 and P2 */
  SAME(S2 - S1, P2 - P1);
  CHECK((S1 + 1 < S2) == (P1 + 1 < P2));
  SAME(upc_addrfield(S2) - upc_addrfield(S1), (char*)P2 - (char*)P1);
  int* p = NULL;
  shared int* q = &by_ten[0];
  if (upc_threadof(q) == MYTHREAD) p = (int*)q;
  CHECK((p != NULL) == (MYTHREAD == 0));
}

/* ---- 6.6.2: upc_forall ------------------------------------------------------------------------ */

enum { N = 12 };
static int visits[N][N], calls[4];
shared float *a, *b, *c;

static void nested_loops(void) {
  int i, j, k;
  memset(visits, 0, sizeof visits);
  upc_forall (i = 0; i < N; i++; continue)
    upc_forall (j = 0; j < N; j++; &a[j])
      upc_forall (k = 0; k < N; k++; &b[k]) {
        a[j] = b[k] * c[i];
        if (i == 0) ++visits[j][k];
      }
  /* All run the outer loop; the owner of a[j] runs that iteration of the middle one, with all of the inner one. */
  for (j = 0; j < N; ++j)
    for (k = 0; k < N; ++k) SAME(visits[j][k], j % THREADS == MYTHREAD);
  upc_barrier;
  for (j = 0; j < N; ++j) SAME(a[j], (N - 1) * (N - 1));
}

static void foo1(void) { ++calls[0]; }
static void foo2(void) { ++calls[1]; }
static void foo3(void) { ++calls[2]; }
static void foo4(int i) {
  SAME(i % THREADS, MYTHREAD);
  ++calls[3];
}

static void clauses(void) {
  int i;
  memset(calls, 0, sizeof calls);
  upc_forall ((foo1(), i = 0); (foo2(), i < 10); (foo3(), i++); i) { foo4(i); }
  SAME(calls[0], 1);
  SAME(calls[1], 11);
  SAME(calls[2], 10);
  SAME(calls[3], (10 - MYTHREAD + THREADS - 1) / THREADS);
}

/* ---- 6.6.1 and 6.7.1: barriers in a block, pragmas --------------------------------------------- */

static void barriers(void) {
  upc_barrier 5;
  { upc_notify 5; upc_wait 5; }
}

/* ---- B.3.2.1: a library function between relaxed accesses, seen by strict ones ------------------ */

shared int x, y;
shared [] int z[2];

static void library_functions_are_relaxed(void) {
  int init_z[2] = {-3, -4};
  if (MYTHREAD == 0) {
    x = 1;
    upc_memput(z, init_z, 2 * sizeof(int));
    y = 2;
  } else {
#pragma upc strict
    int local_y = y;
    int local_z1 = z[1];
    int local_z0 = z[0];
    int local_x = x;
    CHECK(local_y == 0 || local_y == 2);
    CHECK(local_z1 == 0 || local_z1 == -4);
    CHECK(local_z0 == 0 || local_z0 == -3);
    CHECK(local_x == 0 || local_x == 1);
  }
  upc_barrier;
  SAME(x + y + z[0] + z[1], 1 + 2 - 3 - 4);
}

/* ---- B.5: outcomes that no execution may have --------------------------------------------------- */

strict shared int s_x[THREADS], s_y[THREADS];
shared int r_x[THREADS], r_y[THREADS];
shared int outcome[2][THREADS];

#define X(prefix) prefix##_x[THREADS - 1]
#define Y(prefix) prefix##_y[0]

static void start_round(void) {
  upc_barrier;
  if (MYTHREAD == 0) X(s) = Y(s) = X(r) = Y(r) = outcome[0][0] = outcome[1][0] = 0;
  upc_barrier;
}

static int result_of(int thread) {
  upc_barrier;
  return outcome[thread][0];
}

/* 2: strict reads must not see values that the other thread writes later. */
static void reads_see_no_future(void) {
  start_round();
  if (MYTHREAD < 2) {
    outcome[MYTHREAD][0] = X(s);
    X(s) = 2 - MYTHREAD;
  }
  const int first = result_of(0), second = result_of(1);
  CHECK(!(first == 1 && second == 2));
}

/* 5: one of two strict writes is the last. */
static void one_write_wins(void) {
  start_round();
  if (MYTHREAD < 2) {
    X(s) = 2 - MYTHREAD;
    outcome[MYTHREAD][0] = X(s);
  }
  const int first = result_of(0), second = result_of(1);
  CHECK(!(first == 1 && second == 2));
}

/* 7: a read after a write of the same thread to the same place. */
static void own_writes_order_reads(void) {
  start_round();
  if (MYTHREAD == 0) {
    X(r) = 1;
    Y(s) = 1;
    X(r) = 2;
  } else if (MYTHREAD == 1) {
    const int before = X(r);
    X(r) = 3;
    outcome[1][0] = before == 2 && X(r) != 3;
  }
  SAME(result_of(1), 0);
}

/* 8: strict reads of one place see its relaxed writes in their order. */
static void writes_of_one_place_are_in_order(void) {
  start_round();
  if (MYTHREAD == 0) {
    X(r) = 1;
    X(r) = 2;
  } else if (MYTHREAD == 1) {
#pragma upc strict
    const int before = X(r), after = X(r);
    outcome[1][0] = before == 2 && after != 2;
  }
  SAME(result_of(1), 0);
}

/* 11: a barrier orders a relaxed write with a relaxed read. */
static void barriers_order(void) {
  start_round();
  if (MYTHREAD == 0) X(r) = 1;
  upc_notify;
  upc_wait;
  SAME(X(r), 1);
}

/* 12: at least one of two reads after upc_notify sees the write of the other thread before its upc_notify. */
static void notifies_are_ordered(void) {
  int seen = 0;
  start_round();
  if (MYTHREAD == 0) X(r) = 1;
  if (MYTHREAD == 1) Y(r) = 1;
  upc_notify;
  if (MYTHREAD == 0) seen = Y(r);
  if (MYTHREAD == 1) seen = X(r);
  upc_wait;
  if (MYTHREAD < 2) outcome[MYTHREAD][0] = seen;
  const int first = result_of(0), second = result_of(1);
  CHECK(THREADS == 1 || first + second >= 1);
}

static void memory_model(void) {
  for (int round = 0; round < 100; ++round) {
    reads_see_no_future();
    one_write_wins();
    own_writes_order_reads();
    writes_of_one_place_are_in_order();
    barriers_order();
    notifies_are_ordered();
  }
}

/* ---- 7.4.2 and 7.4.3: collective functions ------------------------------------------------------ */

#define NELEMS 10
#define NONE (UPC_IN_NOSYNC | UPC_OUT_NOSYNC)
#define ALL (UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC)
shared int one_A[THREADS], one_B[THREADS];
shared [] int row_A[NELEMS];
shared [NELEMS] int A[NELEMS * THREADS], B_of_rows[NELEMS * THREADS];
shared int P[THREADS];
shared [3] long longs[NELEMS * THREADS];
shared long* sum;

static void fill_rows(int factor) {
  int i;
  upc_forall (i = 0; i < NELEMS * THREADS; ++i; &A[i]) A[i] = factor * i;
  upc_barrier;
}

static void broadcasts(void) {
  one_A[MYTHREAD] = MYTHREAD + 50;
  upc_barrier;
  upc_all_broadcast(one_B, &one_A[1 % THREADS], sizeof(int), NONE);
  upc_barrier;
  SAME(one_B[MYTHREAD], 1 % THREADS + 50);
  if (MYTHREAD == 0)
    for (int i = 0; i < NELEMS; ++i) row_A[i] = 9 * i;
  upc_all_broadcast(B_of_rows, row_A, sizeof(int) * NELEMS, ALL);
  for (int i = 0; i < NELEMS; ++i) SAME(B_of_rows[NELEMS * MYTHREAD + i], 9 * i);
  fill_rows(1);
  upc_barrier;
  upc_all_broadcast(B_of_rows, &A[3], sizeof(int) * 2, NONE); /* A[3] and A[4] to the first two of each */
  upc_barrier;
  SAME(B_of_rows[NELEMS * MYTHREAD], 3);
  SAME(B_of_rows[NELEMS * MYTHREAD + 1], 4);
  SAME(B_of_rows[NELEMS * MYTHREAD + 2], 18);
}

static void scatters_and_gathers(void) {
  const int from = 1 % THREADS;
  shared int* rows = (shared int*)upc_all_alloc(THREADS, THREADS * NELEMS * sizeof(int));
  shared [] int* my_row = (shared [] int*)&rows[MYTHREAD];
  for (int i = 0; i < NELEMS * THREADS; i++) my_row[i] = i + NELEMS * THREADS * MYTHREAD;
  shared [] int* source = (shared [] int*)&rows[from];
  upc_barrier;
  upc_all_scatter(B_of_rows, source, sizeof(int) * NELEMS, NONE);
  upc_barrier;
  for (int i = 0; i < NELEMS; ++i)
    SAME(B_of_rows[NELEMS * MYTHREAD + i], NELEMS * THREADS * from + NELEMS * MYTHREAD + i);
  fill_rows(3);
  shared [] int* gathered = (shared [] int*)upc_all_alloc(1, NELEMS * THREADS * sizeof(int));
  upc_barrier;
  upc_all_gather(gathered, A, sizeof(int) * NELEMS, NONE);
  upc_barrier;
  for (int i = 0; i < NELEMS * THREADS; ++i) SAME(gathered[i], 3 * i);
  upc_all_gather_all(rows, A, sizeof(int) * NELEMS, ALL);
  for (int i = 0; i < NELEMS * THREADS; ++i) SAME(my_row[i], 3 * i);
  upc_barrier;
  upc_all_free(gathered);
  upc_all_free(rows);
}

static void exchanges_and_permutations(void) {
  shared int* a_data = (shared int*)upc_all_alloc(THREADS * THREADS, NELEMS * sizeof(int));
  shared int* b_data = (shared int*)upc_all_alloc(THREADS * THREADS, NELEMS * sizeof(int));
  shared [] int *my_a = (shared [] int*)&a_data[MYTHREAD], *my_b = (shared [] int*)&b_data[MYTHREAD];
  for (int i = 0; i < NELEMS * THREADS; i++) my_a[i] = MYTHREAD * 1000 + i;
  upc_all_exchange(b_data, a_data, NELEMS * sizeof(int), ALL);
  for (int i = 0; i < NELEMS * THREADS; ++i)
    SAME(my_b[i], i / NELEMS * 1000 + NELEMS * MYTHREAD + i % NELEMS);
  upc_barrier;
  upc_all_free(a_data);
  upc_all_free(b_data);
  P[MYTHREAD] = (MYTHREAD + 1) % THREADS;
  fill_rows(5);
  upc_all_permute(B_of_rows, A, P, sizeof(int) * NELEMS, NONE);
  upc_barrier;
  const int left = (MYTHREAD + THREADS - 1) % THREADS;
  for (int i = 0; i < NELEMS; ++i) SAME(B_of_rows[NELEMS * MYTHREAD + i], 5 * (NELEMS * left + i));
  upc_barrier;
}

static void reductions(void) {
  int i;
  upc_forall (i = 0; i < NELEMS * THREADS; ++i; &longs[i]) longs[i] = i;
  sum = (shared long*)upc_all_alloc(THREADS, sizeof(long));
  upc_barrier;
  upc_all_reduceL(sum, longs, UPC_ADD, NELEMS * THREADS, 3, NULL, NONE);
  upc_barrier;
  const long last = NELEMS * THREADS - 1;
  if (MYTHREAD == 0) SAME(*sum, last * (last + 1) / 2);
  upc_all_free(sum);
}

/* The last two of upc_all_gather_all and upc_all_exchange need a constant block size. */
#ifdef __UPC_STATIC_THREADS__
shared [NELEMS * THREADS] int square_A[THREADS][NELEMS * THREADS], square_B[THREADS][NELEMS * THREADS];
shared [] int flat[NELEMS * THREADS];

static void collectives_for_a_known_number(void) {
  if (MYTHREAD == 0)
    for (int i = 0; i < NELEMS * THREADS; ++i) flat[i] = 4 * i;
  upc_all_scatter(B_of_rows, flat, sizeof(int) * NELEMS, ALL);
  for (int i = 0; i < NELEMS; ++i) SAME(B_of_rows[NELEMS * MYTHREAD + i], 4 * (NELEMS * MYTHREAD + i));
  fill_rows(2);
  upc_all_gather(flat, A, sizeof(int) * NELEMS, ALL);
  for (int i = 0; i < NELEMS * THREADS; ++i) SAME(flat[i], 2 * i);
  upc_barrier;
  upc_all_gather_all(square_B, A, sizeof(int) * NELEMS, NONE);
  upc_barrier;
  for (int i = 0; i < NELEMS * THREADS; ++i) SAME(square_B[MYTHREAD][i], 2 * i);
  for (int i = 0; i < NELEMS * THREADS; ++i) square_A[MYTHREAD][i] = 100 * MYTHREAD + i / NELEMS;
  upc_barrier;
  upc_all_exchange(square_B, square_A, NELEMS * sizeof(int), NONE);
  upc_barrier;
  for (int i = 0; i < NELEMS * THREADS; ++i) SAME(square_B[MYTHREAD][i], i / NELEMS * 100 + MYTHREAD);
}
#endif

/* ---- 7.3, 7.5, 7.6: transfers by handles, clocks, atomic operations ------------------------------- */

shared uint64_t val = 42;

static void transfers_and_clocks(void) {
  upc_tick_t start = upc_ticks_now();
  upc_memcpy(&B_of_rows[NELEMS * MYTHREAD], &A[NELEMS * MYTHREAD], NELEMS * sizeof(int));
  upc_fence;
  upc_handle_t handle = upc_memcpy_nb(&B_of_rows[NELEMS * MYTHREAD], &A[NELEMS * MYTHREAD], NELEMS * sizeof(int));
  upc_sync(handle);
  upc_memcpy_nbi(&B_of_rows[NELEMS * MYTHREAD], &A[NELEMS * MYTHREAD], NELEMS * sizeof(int));
  upc_synci();
  for (int i = 0; i < NELEMS; ++i) SAME(B_of_rows[NELEMS * MYTHREAD + i], A[NELEMS * MYTHREAD + i]);
  upc_tick_t end = upc_ticks_now();
  CHECK(end >= start && upc_ticks_to_ns(end - start) < 60e9);
}

static void atomic_operations(void) {
  upc_atomicdomain_t* all = upc_all_atomicdomain_alloc(UPC_INT64, UPC_ADD | UPC_MAX | UPC_MIN, 0);
  CHECK(all != NULL);
  upc_all_atomicdomain_free(all);
  uint64_t oldval = 0;
  upc_atomicdomain_t* domain = upc_all_atomicdomain_alloc(UPC_UINT64, UPC_INC, 0);
  upc_atomic_relaxed(domain, &oldval, UPC_INC, &val, 0, 0);
  CHECK(oldval >= 42 && oldval < 42 + (uint64_t)THREADS);
  upc_barrier;
  SAME(val, 42 + THREADS);
  upc_all_atomicdomain_free(domain);
}

/* ---- 7.9: files -------------------------------------------------------------------------------- */

shared [5] float floats[5 * THREADS];
shared int job; /* makes the name of the file unique */

/* The file holds the doubles 0, 1, 2 ... */
static char byte_of_file(size_t offset) {
  const double number = offset / sizeof number;
  char bytes[sizeof number];
  memcpy(bytes, &number, sizeof bytes);
  return bytes[offset % sizeof bytes];
}

static void files(void) {
  double numbers[10], buffer[10];
  char letters[12], name[40];
  if (MYTHREAD == 0) job = getpid();
  upc_barrier;
  snprintf(name, sizeof name, "examples_test.%d", (int)job);
  upc_file_t* fd = upc_all_fopen(name, UPC_RDWR | UPC_INDIVIDUAL_FP | UPC_CREATE | UPC_TRUNC, 0, NULL);
  CHECK(fd != NULL);
  for (int i = 0; i < 10; ++i) numbers[i] = 5 * MYTHREAD + i;
  upc_all_fseek(fd, 5 * MYTHREAD * sizeof(double), UPC_SEEK_SET);
  upc_all_fwrite_local(fd, numbers, sizeof(double), 10, ALL); /* parts of two threads overlap with equal values */
  upc_all_fclose(fd);

  fd = upc_all_fopen(name, UPC_RDONLY | UPC_INDIVIDUAL_FP, 0, NULL);
  upc_all_fseek(fd, 5 * MYTHREAD * sizeof(double), UPC_SEEK_SET);
  SAME(upc_all_fread_local(fd, buffer, sizeof(double), 10, ALL), sizeof buffer);
  for (int i = 0; i < 10; ++i) SAME(buffer[i], 5 * MYTHREAD + i);
  struct upc_local_memvec memvec[2] = {{&letters[0], 4}, {&letters[7], 3}};
  struct upc_filevec filevec[2] = {{MYTHREAD * 5, 2}, {10 + MYTHREAD * 5, 5}};
  SAME(upc_all_fread_list_local(fd, 2, memvec, 2, filevec, ALL), 7);
  for (int i = 0; i < 7; ++i)
    SAME(i < 4 ? letters[i] : letters[7 + i - 4], byte_of_file(MYTHREAD * 5 + (i < 2 ? i : 10 + i - 2)));
  upc_all_fclose(fd);

  fd = upc_all_fopen(name, UPC_RDONLY | UPC_COMMON_FP, 0, NULL);
  SAME(upc_all_fread_shared(fd, floats, upc_blocksizeof(floats), upc_elemsizeof(floats), 5 * THREADS, ALL),
       5 * THREADS * sizeof(float));
  for (int i = 0; i < 5 * THREADS; ++i) {
    char bytes[sizeof(float)];
    upc_memget(bytes, &floats[i], sizeof bytes);
    for (size_t k = 0; k < sizeof bytes; ++k) SAME(bytes[k], byte_of_file(i * sizeof bytes + k));
  }
  upc_all_fclose(fd);
  if (MYTHREAD == 0) remove(name);
}

int main(void) {
  declarations();
  pointers();
  a = (shared float*)upc_all_alloc(N, sizeof(float));
  b = (shared float*)upc_all_alloc(N, sizeof(float));
  c = (shared float*)upc_all_alloc(N, sizeof(float));
  int i;
  upc_forall (i = 0; i < N; ++i; i) b[i] = c[i] = i;
  upc_barrier;
  nested_loops();
  clauses();
  barriers();
  library_functions_are_relaxed();
  memory_model();
  broadcasts();
  scatters_and_gathers();
  exchanges_and_permutations();
  reductions();
  transfers_and_clocks();
  atomic_operations();
  files();
#ifdef __UPC_STATIC_THREADS__
  declarations_for_a_known_number();
  collectives_for_a_known_number();
#endif
  return check_result();
}
