/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Heat in a rod, which begins in the middle. Each thread works on its own block by a pointer of C and reads two
 * elements of its neighbours; the inner cells are computed while the others arrive at the barrier. */

#include <stdio.h>
#include <upc_relaxed.h>

#define CELLS 50

shared [CELLS] double rods[2][CELLS * THREADS];

static double next_of(double left, double here, double right) { return here + 0.25 * (left - 2 * here + right); }

int main(void) {
  const int first = CELLS * MYTHREAD, last = first + CELLS - 1, end = CELLS * THREADS;
  if (MYTHREAD == THREADS / 2) rods[0][end / 2] = 1000;
  upc_barrier;

  for (int step = 0; step < 100; ++step) {
    shared [CELLS] double* now = rods[step % 2];
    shared [CELLS] double* next = rods[1 - step % 2];
    const double* mine = (const double*)&now[first];
    double* result = (double*)&next[first];
    upc_notify;
    for (int i = 1; i < CELLS - 1; ++i) result[i] = next_of(mine[i - 1], mine[i], mine[i + 1]);
    upc_wait;
    const double left = first > 0 ? now[first - 1] : mine[0];
    const double right = last + 1 < end ? now[last + 1] : mine[CELLS - 1];
    result[0] = next_of(left, mine[0], mine[1]);
    result[CELLS - 1] = next_of(mine[CELLS - 2], mine[CELLS - 1], right);
  }
  upc_barrier;

  if (MYTHREAD > 0) return 0;
  double heat = 0;
  for (int i = 0; i < end; ++i) heat += rods[0][i];
  printf("heat on the whole rod: %.3f\n", heat);
  return heat > 999.999 && heat < 1000.001 ? 0 : 1;
}
