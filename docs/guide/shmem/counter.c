/* SPDX-License-Identifier: BSD-3-Clause

   Work that PEs take as they come for it: a counter at PE 0, from which each takes the next number
   by one atomic operation. */
#include <shmem.h>
#include <stdio.h>

enum { tasks = 1000 };
static long next_task;
static long done, all_done;

int main(void) {
  shmem_init();
  while (shmem_atomic_fetch_inc(&next_task, 0) < tasks) ++done;
  shmem_sum_reduce(SHMEM_TEAM_WORLD, &all_done, &done, 1);
  if (shmem_my_pe() == 0) printf("%ld tasks are done\n", all_done);
  shmem_finalize();
  return all_done == tasks ? 0 : 1;
}
