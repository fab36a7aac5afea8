/* SPDX-License-Identifier: BSD-3-Clause

   Memory of neighbours as ordinary memory: shmem_ptr gives a pointer to another PE's object where
   loads and stores reach it, and null where they do not. */
#include <shmem.h>
#include <stdio.h>

static double temperature;

int main(void) {
  shmem_init();
  temperature = 20.0 + shmem_my_pe();
  shmem_barrier_all();
  const int pes = shmem_n_pes();
  double highest = 0;
  for (int pe = 0; pe < pes; ++pe) {
    const double* const remote = shmem_ptr(&temperature, pe);
    const double value = remote != NULL ? *remote : shmem_g(&temperature, pe);
    if (value > highest) highest = value;
  }
  if (shmem_my_pe() == 0) printf("the highest is %.0f\n", highest);
  shmem_barrier_all(); /* nobody ends while others still look */
  shmem_finalize();
  return highest == 20.0 + pes - 1 ? 0 : 1;
}
