/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread writes its number into its right neighbour's element of a shared array. */

#include <stdio.h>
#include <upc.h>

shared int left[THREADS];

int main(void) {
  left[(MYTHREAD + 1) % THREADS] = MYTHREAD;
  upc_barrier;
  printf("thread %d of %d: %d is to my left\n", MYTHREAD, THREADS, left[MYTHREAD]);
  return left[MYTHREAD] == (MYTHREAD + THREADS - 1) % THREADS ? 0 : 1;
}
