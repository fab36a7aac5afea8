/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Vectors in blocks of 100, added by the threads that own the elements of the sum. */

#include <stdio.h>
#include <upc_relaxed.h>

#define BLOCK 100

shared [BLOCK] double a[4 * BLOCK * THREADS];
shared [BLOCK] double b[4 * BLOCK * THREADS];
shared [BLOCK] double sum[4 * BLOCK * THREADS];

int main(void) {
  const int n = 4 * BLOCK * THREADS;
  int i, mine = 0;

  upc_forall (i = 0; i < n; ++i; &a[i]) {
    a[i] = i;
    b[i] = 2 * i;
  }
  upc_forall (i = 0; i < n; ++i; &sum[i]) {
    sum[i] = a[i] + b[i];
    ++mine;
  }
  upc_barrier;
  printf("thread %d added %d elements; element %d is on thread %d and is %.0f\n", MYTHREAD, mine, BLOCK * MYTHREAD + 1,
         (int)upc_threadof(&sum[BLOCK * MYTHREAD + 1]), sum[BLOCK * MYTHREAD + 1]);
  for (i = 0; i < n; ++i)
    if (sum[i] != 3.0 * i) return 1;
  return 0;
}
