/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program of OpenSHMEM: each PE puts its number into a variable of the next one. */
#include <shmem.h>
#include <stdio.h>

static long number;

int main(void) {
  shmem_init();
  const int pes = shmem_n_pes();
  shmem_long_p(&number, shmem_my_pe(), (shmem_my_pe() + 1) % pes);
  shmem_barrier_all();
  const int right = number == (shmem_my_pe() + pes - 1) % pes;
  if (right) printf("PE %d has the number of PE %ld\n", shmem_my_pe(), number);
  shmem_finalize();
  return !right;
}
