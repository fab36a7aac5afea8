/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The second unit of units_test.upc. */

#include "units.uph"

shared [4] int defined_elsewhere[8 * THREADS];
shared record record_elsewhere = {7, {1.5, 2.5}};
shared [] int* pointer_elsewhere = (shared [] int*)&defined_elsewhere[5];
int private_elsewhere = 11;

static shared int of_one_name[2 * THREADS];
static shared int counted = 40;

shared [4] int* address_elsewhere(int at) { return &defined_elsewhere[at]; }

int value_of_static(void) {
  static shared int local_shared = 1000;
  static shared [2] int* local_pointer = NULL;
  if (local_pointer != NULL) return -1;
  if (MYTHREAD == 0) of_one_name[0] = counted;
  return local_shared + counted;
}

extern inline int second_of(shared const int* from);

int sum_elsewhere(shared const int* from, int count) {
  int sum = 0;
  for (int i = 0; i < count; ++i) sum += from[i];
  return sum;
}
