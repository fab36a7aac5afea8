/* SPDX-License-Identifier: BSD-3-Clause

   Memory of the symmetric heap: all PEs allocate together, and one address names the block of every
   PE. A PE fetches its neighbour's row and adds it up. */
#include <shmem.h>
#include <stdio.h>

enum { count = 1000 };

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int next = (me + 1) % shmem_n_pes();
  long* const row = shmem_malloc(count * sizeof *row);
  if (row == NULL) shmem_global_exit(1); /* null on all PEs alike */
  for (int i = 0; i < count; ++i) row[i] = i + me;
  shmem_barrier_all(); /* everybody has filled its row */
  long copy[count];
  shmem_get(copy, row, count, next);
  long sum = 0;
  for (int i = 0; i < count; ++i) sum += copy[i];
  if (me == 0) printf("PE 0 adds up the row of PE %d: %ld\n", next, sum);
  shmem_free(row);
  shmem_finalize();
  return sum == count * (count - 1L) / 2 + (long)count * next ? 0 : 1;
}
