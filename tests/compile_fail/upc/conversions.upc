// SPDX-License-Identifier: BSD-3-Clause
//
// Assignments, arguments, results, initialisers and casts of pointers-to-shared (UPC 1.3, 6.4.3).

#include <stdlib.h>
#include <string.h>

struct pair {
  int first, second;
};
shared [4] int *by_four;
shared [3] int *by_three;
shared [] int *on_one;
shared int *by_one;
shared char *bytes;
shared void *generic;
shared struct pair *pairs;
shared [2] int array[2 * THREADS];
int *local;
shared int **to_pointer;
shared [2] int **to_pointer_by_two;
shared int rows[2][3 * THREADS], (*row)[3 * THREADS], (*long_row)[4 * THREADS];
void take(shared [4] int *pointer);
void take_local(int *pointer);

shared [3] int *initial = array;          // expect-error: initialising 'shared [2] int *' to 'shared [3] int *'

shared [4] int *result(void) {
  return by_three;                        // expect-error: returning 'shared [3] int *' to 'shared [4] int *': the block sizes differ
}
int *local_result(void) {
  return by_one;                          // expect-error: a pointer-to-shared becomes a private pointer only by a cast
}
shared int *from_integer(void) {
  return 5;                               // expect-error: only the constant 0 becomes a pointer-to-shared
}

void assign(int number) {
  by_four = by_three;                     // expect-error: assigning 'shared [3] int *' to 'shared [4] int *': the block sizes differ
  by_four = (shared [4] int *)by_three;
  by_one = array;                         // expect-error: assigning 'shared [2] int *' to 'shared int *'
  by_one = &pairs[1].second;              // expect-warning: assigning 'shared [] int *' to 'shared int *'
  on_one = &pairs[1].second;
  by_four = by_four + 1;
  by_four = on_one;                       // expect-error: the block sizes differ
  by_one = bytes;                         // expect-warning: the elements have different types
  generic = by_four;
  by_three = generic;
  by_one = 0;
  by_one = (void *)0;
  by_one = number;                        // expect-error: only the constant 0 becomes a pointer-to-shared
  number = by_one;                        // expect-error: to an integer
  local = by_one;                         // expect-error: a pointer-to-shared becomes a private pointer only by a cast
  local = (int *)by_one;
  by_one = local;                         // expect-error: pointers-to-shared and private pointers are not converted
  generic = local;                        // expect-error: pointers-to-shared and private pointers are not converted
  to_pointer = to_pointer_by_two;         // expect-error: the block sizes of what they point to differ
  take(by_three);                         // expect-error: passing 'shared [3] int *' to 'shared [4] int *'
  take(generic);
  take(0);
  take(7);                                // expect-error: only the constant 0 becomes a pointer-to-shared
  take_local(by_one);                     // expect-error: a pointer-to-shared becomes a private pointer only by a cast
  free(by_one);                           // expect-error: passing 'shared int *' to free, which takes private pointers
  memcpy(by_one, local, 4);               // expect-error: passing 'shared int *' to memcpy
  memcpy((int *)by_one, local, 4);
  (void)__atomic_load_n(by_one, 0);       // expect-error: <upc_atomic.h> has those of UPC
  row = rows;
  long_row = rows;                        // expect-warning: the elements have different types
  shared [4] int *in_list[2] = {by_four, by_three};  // expect-error: initialising 'shared [3] int *' to 'shared [4] int *'
  (void)in_list;
}

void casts(void) {
  by_one = (shared int *)local;           // expect-error: cannot be cast to 'shared int *': its memory may not be shared
  by_one = (shared int *)16;              // expect-error: an integer cannot be cast to 'shared int *'
  by_one = (shared int *)0;
  (void)(shared int *shared)by_one;       // expect-warning: a cast gives a value, which is not shared
  (void)(shared int)0;                    // expect-error: a cast cannot give a shared value
  to_pointer = (shared int **)&local;     // expect-error: would make a pointer-to-shared of a private pointer
  to_pointer = (shared int **)(void *)&local;
  (void)(shared [4] void *)by_one;        // expect-error: has no block size
  (void)(long)by_one;
}
