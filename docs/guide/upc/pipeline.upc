/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of data go from thread to thread. A counter that is strict tells the right neighbour that a block is
 * complete, and the left one that there is room again: what was written before a strict write is seen by whoever has
 * read it. */

#include <stdio.h>
#include <upc_relaxed.h>

#define BLOCKS 20
#define SIZE 1000

shared [SIZE] int box[SIZE * THREADS];
strict shared int arrived[THREADS];
strict shared int taken[THREADS];

int main(void) {
  const int right = MYTHREAD + 1;
  int block[SIZE];
  for (int round = 1; round <= BLOCKS; ++round) {
    if (MYTHREAD == 0) {
      for (int i = 0; i < SIZE; ++i) block[i] = round + i;
    } else {
      while (arrived[MYTHREAD] < round) continue;
      upc_memget(block, &box[SIZE * MYTHREAD], sizeof block);
      taken[MYTHREAD] = round;
    }
    for (int i = 0; i < SIZE; ++i) block[i] += 1;
    if (right == THREADS) continue;
    while (taken[right] < round - 1) continue;
    upc_memput(&box[SIZE * right], block, sizeof block);
    arrived[right] = round;
  }
  if (right < THREADS) return 0;
  printf("%d blocks came through\n", BLOCKS);
  return block[7] == BLOCKS + 7 + THREADS ? 0 : 1;
}
