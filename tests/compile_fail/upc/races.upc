// SPDX-License-Identifier: BSD-3-Clause
//
// -Wupc-race: races that the text of one upc_forall shows, and similar loops that are right.
#include <upc.h>

#define N (16 * THREADS)
shared [4] int array[N], other[N];
shared [] int on_one[16];
shared int sum, counts[THREADS];
strict shared int flag;
shared [4] int grid[2][N];
upc_lock_t *lock;

void races(void) {
  int i;
  upc_forall (i = 1; i < N; i++; &array[i]) array[i] = array[i - 1];  // expect-warning: array[i - 1] is written by another iteration (as array[i])
  upc_forall (i = 0; i < N - 1; i++; i) array[i + 1] += array[i];     // expect-warning: array[i] is written by another iteration
  upc_forall (i = 0; i < N; i++; &array[i]) sum += array[i];          // expect-warning: all threads update sum
  upc_forall (i = 0; i < N; i++; &array[i]) sum = sum + array[i];     // expect-warning: all threads update sum
  upc_forall (i = 0; i < N; i++; i) counts[0]++;                      // expect-warning: all threads update counts[0]
}

void right(void) {
  int i, current = 0;
  upc_forall (i = 1; i < N; i++; &array[i]) array[i] = other[i - 1];
  upc_forall (i = 0; i < N; i++; &array[i]) array[i] += array[i] * 2;
  upc_forall (i = 1; i < N - 1; i += 2; &array[i]) array[i] = array[i - 1] + array[i + 1];
  upc_forall (i = 1; i < 16; i++; &on_one[i]) on_one[i] = on_one[i - 1];
  upc_forall (i = 0; i < N; i++; continue) sum += array[i];
  upc_forall (i = 0; i < N; i++; &array[i]) flag += 1;
  upc_forall (i = 0; i < N; i++; &array[i]) {
    upc_lock(lock);
    sum += array[i];
    upc_unlock(lock);
  }
  upc_forall (i = 1; i < N; i++; &grid[0][i]) grid[1 - current][i] = grid[current][i - 1];
  upc_forall (i = 0; i < N; i++; &array[i]) counts[MYTHREAD]++;
  for (i = 1; i < N; i++) array[i] = array[i - 1];
}
