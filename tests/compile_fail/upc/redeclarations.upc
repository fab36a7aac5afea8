// SPDX-License-Identifier: BSD-3-Clause
//
// Declarations of one object or function in two layouts.

extern shared [2] int array[];
shared [3] int array[3 * THREADS];   // expect-error: 'array' is declared as 'shared [3] int[3*THREADS]' here and as 'shared [2] int[]' in line 5
extern shared [4] int right[];
shared [4] int right[4 * THREADS];
extern shared [2] int *pointer;
shared [3] int *pointer;             // expect-error: in line 9
void take(shared [2] int *pointer);
void take(shared int *pointer);      // expect-error: in line 11
shared [2] int *give(void);
shared [] int *give(void) {          // expect-error: in line 13
  return 0;
}
