/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of teams.c for libraries of OpenSHMEM 1.4: a flag is put after the data, and
 * collectives have active sets, with a synchronization array for each turn, so that none is used
 * again before all PEs have met. */
#include <bench/shmem/loops.h>

#include <shmem.h>

enum { room = osh_collective_max / 8 / 2 + 1 };

static long broadcast_sync[osh_turns][SHMEM_BCAST_SYNC_SIZE];
static long reduce_sync[osh_turns][SHMEM_REDUCE_SYNC_SIZE];
static long alltoall_sync[osh_turns][SHMEM_ALLTOALL_SYNC_SIZE];
static double work[osh_turns]
                  [room > SHMEM_REDUCE_MIN_WRKDATA_SIZE ? room : SHMEM_REDUCE_MIN_WRKDATA_SIZE];

/* The arrays hold the value that the specification wants before the first call; later calls restore
 * it. */
static void prepare(void) {
  static int prepared = 0;
  if (prepared) return;
  prepared = 1;
  for (unsigned turn = 0; turn < osh_turns; ++turn) {
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; ++i) broadcast_sync[turn][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_REDUCE_SYNC_SIZE; ++i) reduce_sync[turn][i] = SHMEM_SYNC_VALUE;
    for (int i = 0; i < SHMEM_ALLTOALL_SYNC_SIZE; ++i) alltoall_sync[turn][i] = SHMEM_SYNC_VALUE;
  }
  shmem_barrier_all();
}

void osh_put_with_flag(const struct osh_message* message, uint64_t value, int pe) {
  shmem_uint64_put(message->target, message->source, message->words, pe);
  shmem_fence();
  shmem_uint64_p(message->flag, value, pe);
}

void osh_broadcast(uint64_t* target, const uint64_t* source, size_t words, unsigned turn) {
  prepare();
  shmem_broadcast64(target, source, words, 0, 0, 0, shmem_n_pes(), broadcast_sync[turn]);
}

void osh_sum(double* target, double* source, size_t count, unsigned turn) {
  prepare();
  shmem_double_sum_to_all(target, source, (int)count, 0, 0, shmem_n_pes(), work[turn],
                          reduce_sync[turn]);
}

void osh_alltoall(uint64_t* target, const uint64_t* source, size_t words, unsigned turn) {
  prepare();
  shmem_alltoall64(target, source, words, 0, 0, shmem_n_pes(), alltoall_sync[turn]);
}
