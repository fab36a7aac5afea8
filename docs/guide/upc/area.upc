/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The area of a quarter of a circle by strips: each thread adds its own strips, a reduction adds the threads' sums,
 * and a broadcast gives each thread the number of strips that thread 0 chose. */

#include <math.h>
#include <stdio.h>
#include <upc_collective.h>
#include <upc_relaxed.h>

#define ALL (UPC_IN_ALLSYNC | UPC_OUT_ALLSYNC)

shared int chosen;
shared int strips[THREADS];
shared double parts[THREADS];
shared double area;

int main(void) {
  if (MYTHREAD == 0) chosen = 100000;
  upc_all_broadcast(strips, &chosen, sizeof(int), ALL);
  const int n = strips[MYTHREAD];
  double sum = 0;
  int i;
  upc_forall (i = 0; i < n; ++i; i) {
    const double x = (i + 0.5) / n;
    sum += sqrt(1 - x * x) / n;
  }
  parts[MYTHREAD] = sum;
  upc_all_reduceD(&area, parts, UPC_ADD, THREADS, 1, NULL, ALL);
  if (MYTHREAD == 0) printf("pi is about %.6f\n", 4 * area);
  return fabs(4 * area - 3.14159265) < 1e-6 ? 0 : 1;
}
