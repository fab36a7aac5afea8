// SPDX-License-Identifier: BSD-3-Clause
//
// Comparisons, subtractions, arithmetic and '?:' of pointers-to-shared (UPC 1.3, 6.4.2).

shared int *one, *other;
shared [2] int *by_two;
shared [] int *on_one;
shared void *generic;
shared char *bytes;
struct unknown;
shared struct unknown *unknown, *unknown_too;
int *local;
int truth;

void compare(void) {
  truth = one == other;
  truth = one < other;
  truth = one == 0;
  truth = one == generic;
  truth = one == by_two;       // expect-error: comparing 'shared int *' and 'shared [2] int *': the block sizes differ
  truth = one > by_two;        // expect-error: the block sizes differ
  truth = on_one != one;       // expect-error: the block sizes differ
  truth = one == local;        // expect-error: comparing a pointer-to-shared and a private pointer
  truth = local >= one;        // expect-error: comparing a pointer-to-shared and a private pointer
  truth = one == 7;            // expect-error: comparing a pointer-to-shared and an integer
  truth = generic < one;       // expect-error: '<' needs to know the elements
  truth = unknown > unknown_too;  // expect-error: '>' needs to know the elements
  truth = unknown == unknown_too;
  truth = one == bytes;        // expect-warning: the elements have different types
}

void arithmetic(void) {
  truth = one - other;
  truth = one - by_two;        // expect-error: subtracting 'shared int *' and 'shared [2] int *': the block sizes differ
  truth = one - local;         // expect-error: a pointer-to-shared and a private pointer
  (void)(generic + 1);         // expect-error: arithmetic on a pointer to shared void
  (void)(1 + generic);         // expect-error: arithmetic on a pointer to shared void
  (void)(generic - generic);   // expect-error: arithmetic on a pointer to shared void
  generic++;                   // expect-error: arithmetic on a pointer to shared void
  generic += 2;                // expect-error: arithmetic on a pointer to shared void
  (void)(unknown + 1);         // expect-error: incomplete type
  *generic;                    // expect-error: does not tell what it points to
}

void choose(void) {
  one = truth ? one : other;
  one = truth ? one : 0;
  generic = truth ? one : generic;
  generic = truth ? one : by_two;  // expect-error: choosing between 'shared int *' and 'shared [2] int *': the block sizes differ
  (void)(truth ? one : local);     // expect-error: the results of '?:' are a pointer-to-shared and a private pointer
}
