// SPDX-License-Identifier: BSD-3-Clause
//
// THREADS is no constant in a program for any number of threads.

shared int array[THREADS];
int privately[THREADS];                   // expect-error: the size of a static private array cannot depend on THREADS
int number = THREADS;                     // expect-error: must be constant, and THREADS is known only
int bytes = sizeof(array);                // expect-error: must be constant, and THREADS is known only
int local_bytes = upc_localsizeof(array);
struct holder {
  int values[2 * THREADS];                // expect-error: an array in a structure cannot depend on THREADS
};
enum { twice = 2 * THREADS };             // expect-error: the value of an enumeration constant must be constant
_Static_assert(THREADS > 0, "threads");   // expect-error: the condition of _Static_assert must be constant
_Static_assert(3 * THREADS > 9 && THREADS == 5, "five");  // expect-error: due to requirement 'THREADS == 5' // expect-error: the condition of _Static_assert

int choose(int value) {
  int automatic[THREADS];
  int with_values[THREADS] = {0};         // expect-error: an array with an initialiser cannot depend on THREADS
  automatic[0] = with_values[0] = value;
  switch (value) {
    case THREADS: return 1;               // expect-error: the value of a case label must be constant
    case sizeof(array): return 2;         // expect-error: the value of a case label must be constant
    default: return automatic[0];
  }
}
