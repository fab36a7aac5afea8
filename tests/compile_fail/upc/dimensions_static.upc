// SPDX-License-Identifier: BSD-3-Clause
//
// With a known number of threads every size is right.
// options: -T 3

shared int none[10], sum[10 + THREADS], square[THREADS * THREADS], product[THREADS * 100 * 20], two[THREADS][4 * THREADS];
shared [] int on_one[THREADS];
shared int (*pointer)[THREADS][THREADS];
int privately[THREADS], number = THREADS;
struct holder {
  int values[THREADS];
};
enum { twice = 2 * THREADS };
shared [*] int spread[10];
shared [THREADS] int by_threads[10];
int choose(int value) {
  switch (value) {
    case THREADS: return 1;
    default: return 0;
  }
}
