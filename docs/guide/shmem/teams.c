/* SPDX-License-Identifier: BSD-3-Clause

   Teams: the PEs in rows of two, and a sum over each row. The last row may be shorter. */
#include <shmem.h>
#include <stdio.h>

static int own, sum;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int pes = shmem_n_pes();
  shmem_team_t row, column;
  shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column);
  own = me;
  shmem_sum_reduce(row, &sum, &own, 1);
  printf("PE %d is %d of %d in its row, whose sum is %d\n", me, shmem_team_my_pe(row),
         shmem_team_n_pes(row), sum);
  const int first = me / 2 * 2;
  const int expected = first + 1 < pes ? 2 * first + 1 : first;
  shmem_team_destroy(column);
  shmem_team_destroy(row);
  shmem_finalize();
  return sum == expected ? 0 : 1;
}
