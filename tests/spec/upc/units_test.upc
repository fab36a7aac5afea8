/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs of several units (5.1.1, 6.5): objects that one unit defines and another declares, tentative definitions
 * in both, two static objects of the same name, initialisers of shared objects and of pointers-to-shared, and a unit
 * in C. Each thread has its own private objects. */

#include "checks.uph"
#include "units.uph"

static shared int of_one_name[2 * THREADS];

shared int answer = 42;
strict shared int strict_answer = 43;
shared double half = 0.5;
shared record described = {.kind = 3, .values = {[1] = 2.25}};
shared int* to_scalar = &answer;
shared [4] int* to_element = &defined_elsewhere[4 * (THREADS - 1) + 1];
shared [4] int* to_next = defined_elsewhere + 9;
shared [] double* to_member = &record_elsewhere.values[1];
shared void* generic = &described;
shared int* table[3] = {&answer, NULL, &tentative[1]};
struct {
  int count;
  shared int* p;
} holder = {5, &tentative[2]};
shared int* shared shared_pointer = &answer;
int private_counter = 100;

static int triple(int value) { return 3 * value + MYTHREAD; }

static void initialisers_hold(void) {
  SAME(answer, 42);
  SAME(strict_answer, 43);
  CHECK(half == 0.5);
  SAME(described.kind, 3);
  CHECK(described.values[0] == 0 && described.values[1] == 2.25 && described.values[2] == 0);
  SAME(record_elsewhere.kind, 7);
  CHECK(record_elsewhere.values[1] == 2.5 && record_elsewhere.values[2] == 0);
  SAME(*to_scalar, 42);
  SAME(upc_threadof(to_element), THREADS - 1);
  SAME(upc_phaseof(to_element), 1);
  CHECK(to_next == &defined_elsewhere[9]);
  SAME(upc_phaseof(to_next), 1);
  CHECK(*to_member == 2.5);
  CHECK(generic == (shared void*)&described);
  CHECK(table[0] == &answer && table[1] == NULL && table[2] == &tentative[1]);
  SAME(holder.count, 5);
  CHECK(holder.p == &tentative[2]);
  CHECK(shared_pointer == &answer);
  SAME(*shared_pointer, 42);
  CHECK(pointer_elsewhere == (shared [] int*)&defined_elsewhere[5]);
  SAME(value_of_static(), 1040);
  static shared [] int* in_function = (shared [] int*)&tentative[1];
  CHECK(in_function == (shared [] int*)&tentative[1]);
}

static void units_share_their_objects(void) {
  int i;
  upc_forall (i = 0; i < 8 * THREADS; ++i; &defined_elsewhere[i]) defined_elsewhere[i] = 10 * i;
  upc_forall (i = 0; i < 3 * THREADS; ++i; i) tentative[i] = i;
  upc_barrier;
  for (i = 0; i < 8 * THREADS; ++i) {
    CHECK(address_elsewhere(i) == &defined_elsewhere[i]);
    SAME(*address_elsewhere(i), 10 * i);
  }
  SAME(sum_elsewhere(tentative, 3 * THREADS), 3 * THREADS * (3 * THREADS - 1) / 2);
  SAME(pointer_elsewhere[1], 60); /* the same block */
  SAME(first_of(&tentative[2]), 2);
  SAME(second_of(&tentative[1]), 2);
}

static void static_objects_are_their_units(void) {
  SAME(value_of_static(), 1040);
  upc_barrier;
  SAME(of_one_name[0], 0);
  upc_barrier;
  if (MYTHREAD == 0) of_one_name[0] = 5;
  upc_barrier;
  SAME(value_of_static(), 1040);
}

static void private_objects_are_each_threads(void) {
  private_counter += MYTHREAD;
  private_elsewhere -= MYTHREAD;
  upc_barrier;
  SAME(private_counter, 100 + MYTHREAD);
  SAME(private_elsewhere, 11 - MYTHREAD);
}

int main(void) {
  initialisers_hold();
  upc_barrier;
  units_share_their_objects();
  static_objects_are_their_units();
  private_objects_are_each_threads();
  SAME(add_in_c(MYTHREAD, 2), MYTHREAD + 2);
  SAME(call_back(triple, 4), 12 + MYTHREAD);
  return check_result();
}
