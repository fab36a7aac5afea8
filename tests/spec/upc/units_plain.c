/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The unit of units_test.upc that is C and compiled by the C compiler. `shared` is a name like
 * others in it. */

int add_in_c(int a, int b) {
  int shared = a, relaxed = b;
  return shared + relaxed;
}

int call_back(int (*function)(int), int value) { return function(value); }
