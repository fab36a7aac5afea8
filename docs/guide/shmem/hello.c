/* SPDX-License-Identifier: BSD-3-Clause

   Each PE writes its number into its right neighbour's variable. Any global or static variable is
   symmetric: the same name means every PE's own copy, and the number of a PE says whose. */
#include <shmem.h>
#include <stdio.h>

static int left = -1;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int pes = shmem_n_pes();
  shmem_int_p(&left, me, (me + 1) % pes); /* on this host: one store */
  shmem_barrier_all();
  printf("PE %d of %d: %d is to my left\n", me, pes, left);
  shmem_finalize();
  return left == (me + pes - 1) % pes ? 0 : 1;
}
