/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pragmas before loops over shared elements: hints for the C compiler, and OpenMP, whose threads all access shared
 * memory. Values that one thread of a process has read or written before, also on another host, must not hide later
 * writes of the others. Nests of loops that a pragma describes, and upc_forall after pragmas that divide no loop,
 * compile. */
#include <omp.h>
#include <upc_relaxed.h>

#include "checks.uph"

#define ALL (64 * THREADS)
#define IVDEP _Pragma("GCC ivdep")

shared [64] int blocks[64 * THREADS], others[64 * THREADS];
shared int cyclic[64 * THREADS];

static void hints(void) {
  int i;
#pragma GCC ivdep
  upc_forall (i = 0; i < ALL; ++i; &blocks[i]) blocks[i] = i;
#pragma GCC unroll 4
  upc_forall (i = 0; i < ALL; ++i; i) {
    cyclic[i] = 2 * i;
  }
#pragma GCC unroll 2
  upc_forall (i = 0; i < ALL; i += 3; i / 3) others[i] = -i;
  upc_barrier;
  long sum = 0;
#pragma GCC ivdep
  for (i = 0; i < ALL; ++i) sum += blocks[i];
  SAME(i, ALL);
#pragma GCC unroll 4

  for (i = 0; i < ALL; ++i) {
    sum += cyclic[i];
  }
  IVDEP for (i = 0; i < ALL; i += 3) sum += 3 * others[i];
  SAME(sum, 3L * ALL * (ALL - 1) / 2 - 9L * ((ALL + 2) / 3) * ((ALL + 2) / 3 - 1) / 2);
  upc_barrier;
  const int first = 64 * ((MYTHREAD + 1) % THREADS);
#pragma GCC ivdep
  for (i = 0; i < 10; ++i) blocks[first + 3 * i] = -1;
  upc_barrier;
  for (i = 0; i < 10; ++i) SAME(blocks[64 * MYTHREAD + 3 * i], -1);
  upc_barrier;
}

static void openmp(void) {
  const int first = 64 * MYTHREAD, next = 64 * ((MYTHREAD + 1) % THREADS);
#ifndef _OPENMP
#error "the macro of OpenMP is missing"
#endif
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; ++i) others[first + i] = i;
  upc_barrier;
  long sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 64; ++i) sum += others[next + i];
  SAME(sum, 63 * 64 / 2);
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < 64; ++i) sum += others[next + i];
#pragma omp parallel for collapse(2) num_threads(2) reduction(+ : sum)
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < 64; ++i) sum += k * others[first + i];
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    for (int i = 0; i < 64; ++i) sum += others[next + i];
  }
  SAME(sum, 5 * 63 * 64 / 2);
  SAME(omp_get_max_threads() > 0, 1);
  upc_barrier;
}

/* The main thread reads and writes elements that other threads of its process write and read. */
static void openmp_and_values_that_were_read(void) {
  const int first = 64 * ((MYTHREAD + 1) % THREADS);
  long sum = 0;
  upc_barrier;
  for (int i = 0; i < 64; i += 3) sum += others[first + i];
  SAME(sum >= 0, 1);
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 64; ++i) others[first + i] = 1000 + i;
  for (int i = 0; i < 64; i += 3) SAME(others[first + i], 1000 + i);
  int seen = 0;
  others[first + 6] = 1;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    seen = others[first + 6];
    others[first + 6] = 2;
  }
  SAME(seen, 1);
  SAME(others[first + 6], 2);
#pragma omp parallel for num_threads(4)
  for (int k = 0; k < 8; ++k)
    for (int i = 0; i < 8; ++i) others[first + (8 * k + i) * 5 % 64] = 2000 + 8 * k + i;
  for (int i = 0; i < 64; ++i) SAME(others[first + i * 5 % 64], 2000 + i);
  upc_barrier;
}

static void openmp_and_nests(void) {
  const int first = 64 * MYTHREAD;
#pragma omp parallel num_threads(2)
#pragma omp for ordered(2)
  for (int i = 1; i < 4; ++i)
    for (int j = 0; j < 64; ++j) {
#pragma omp ordered depend(sink : i - 1, j)
      others[first + j] = i == 1 ? j : others[first + j] + i;
#pragma omp ordered depend(source)
    }
  for (int j = 0; j < 64; ++j) SAME(others[first + j], j + 5);
  upc_barrier;
}

static void openmp_beside_upc_forall(void) {
  int i;
#pragma omp taskwait
  upc_forall (i = 0; i < ALL; ++i; &blocks[i]) blocks[i] = i;
#pragma omp master
  upc_forall (i = 0; i < ALL; ++i; &blocks[i]) blocks[i] += 1;
#pragma omp flush
#pragma upc strict
  upc_forall (i = 0; i < ALL; ++i; &blocks[i]) blocks[i] += 1;
  upc_barrier;
  long sum = 0;
#pragma omp flush
  for (i = 0; i < ALL; ++i) sum += blocks[i];
  SAME(sum, (long)ALL * (ALL - 1) / 2 + 2 * ALL);
  upc_barrier;
}

int main(void) {
  hints();
  openmp();
  openmp_and_values_that_were_read();
  openmp_and_nests();
  openmp_beside_upc_forall();
  return check_result();
}
