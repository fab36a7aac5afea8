/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each thread writes its number into its right neighbour's element. */

#include "ring.uph"

shared int left_of[THREADS];

void tell_neighbours(void) {
  left_of[(MYTHREAD + 1) % THREADS] = MYTHREAD;
  upc_barrier;
}
