// SPDX-License-Identifier: BSD-3-Clause
//
// The same for a known number of threads.
// options: -T 4 -Wextra

#if THREADS != 4
#error THREADS is known to the preprocessor
#endif
int values[THREADS] = {[THREADS - 1] = 1};
struct flags {
  unsigned bits : THREADS;
};
shared int odd[10], matrix[THREADS][THREADS];
shared [THREADS] int by_threads[13];
shared [] int together[THREADS];
_Static_assert(sizeof(odd) == 10 * sizeof(int), "sizes are constants");
_Static_assert(sizeof(shared int[THREADS]) == 4 * sizeof(int), "sizes are constants");
int main() {
  shared int(*row)[THREADS] = matrix;
  return row == matrix && values[3] ? 0 : 1;
}
