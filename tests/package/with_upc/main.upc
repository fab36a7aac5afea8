/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main unit: prints the left neighbour of each thread, by a C++ function where the build defines it. */

#include <stdio.h>

#include "ring.uph"
#ifdef BY_CXX
#include <print_line.h>
#else
static void print_line(int thread, int threads, int left) {
  printf("thread %d of %d: %d is to my left\n", thread, threads, left);
}
#endif

double average(const int* values, int count);

int main(void) {
  const int values[3] = {1, 2, 6};
  tell_neighbours();
  print_line(MYTHREAD, THREADS, left_of[MYTHREAD]);
  return average(values, 3) == 3.0 ? 0 : 1;
}
