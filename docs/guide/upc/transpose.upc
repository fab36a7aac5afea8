/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix in blocks of rows is transposed: each thread gets the tiles of the others in the background, all at once,
 * and turns them over when they are complete. */

#include <stdio.h>
#include <stdlib.h>
#include <upc_nb.h>
#include <upc_relaxed.h>

#define ROWS 16

int main(void) {
  const int n = ROWS * THREADS;
  /* Tile k lies on thread k % THREADS. The tile in row r and column c is number c * THREADS + r, so that each thread
   * has a row of tiles. */
  shared [ROWS * ROWS] int* matrix =
      (shared [ROWS * ROWS] int*)upc_all_alloc(THREADS * THREADS, ROWS * ROWS * sizeof(int));
  int* tiles = malloc(THREADS * ROWS * ROWS * sizeof(int));
  upc_handle_t* handles = malloc(THREADS * sizeof(upc_handle_t));

  for (int column = 0; column < THREADS; ++column) { /* the tile in row MYTHREAD and this column lies here */
    int* tile = (int*)&matrix[(column * THREADS + MYTHREAD) * ROWS * ROWS];
    for (int i = 0; i < ROWS; ++i)
      for (int j = 0; j < ROWS; ++j) tile[i * ROWS + j] = (MYTHREAD * ROWS + i) * n + column * ROWS + j;
  }
  upc_barrier;

  for (int row = 0; row < THREADS; ++row)
    handles[row] = upc_memget_nb(&tiles[row * ROWS * ROWS], &matrix[(MYTHREAD * THREADS + row) * ROWS * ROWS],
                                 ROWS * ROWS * sizeof(int));
  int wrong = 0;
  for (int row = 0; row < THREADS; ++row) {
    upc_sync(handles[row]);
    for (int i = 0; i < ROWS; ++i)
      for (int j = 0; j < ROWS; ++j) /* element (i, j) of the transposed tile */
        wrong += tiles[row * ROWS * ROWS + j * ROWS + i] != (row * ROWS + j) * n + MYTHREAD * ROWS + i;
  }
  upc_barrier;
  printf("thread %d has its rows of the transposed %d x %d matrix, %d elements wrong\n", MYTHREAD, n, n, wrong);
  free(handles);
  free(tiles);
  upc_all_free(matrix);
  return wrong ? 1 : 0;
}
