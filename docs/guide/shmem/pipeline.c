/* SPDX-License-Identifier: BSD-3-Clause

   Blocks that travel from PE to PE: a put with a signal writes the data and then a counter, and the
   receiver waits for the counter. Nobody calls a barrier. */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>

enum { blocks = 20, count = 256 };
static long inbox[blocks][count];
static uint64_t arrived;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe();
  const int last = shmem_n_pes() - 1;
  for (int block = 0; block < blocks; ++block) {
    if (me > 0) {
      shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, (uint64_t)block + 1);
    } else {
      for (int i = 0; i < count; ++i) inbox[block][i] = block;
    }
    for (int i = 0; i < count; ++i) ++inbox[block][i]; /* each PE's work */
    if (me < last) {
      shmem_put_signal(inbox[block], inbox[block], count, &arrived, 1, SHMEM_SIGNAL_ADD, me + 1);
    }
  }
  const int right = inbox[blocks - 1][count - 1] == blocks - 1 + me + 1;
  if (me == last)
    printf("the last block has been worked on by every PE: %s\n", right ? "yes" : "no");
  shmem_finalize();
  return right ? 0 : 1;
}
