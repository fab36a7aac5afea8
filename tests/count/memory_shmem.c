/* SPDX-License-Identifier: BSD-3-Clause

   An OpenSHMEM program that has barriers and no communication. A few of its PEs print their private
   memory. */
#include <shmem.h>
#include <tests/count/private_memory.h>

int main(void) {
  shmem_init();
  shmem_barrier_all();
  if (shmem_my_pe() % (shmem_n_pes() / 16) == 1) tell_private_memory();
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
