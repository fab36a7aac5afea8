/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls of bench_shmem that are of OpenSHMEM 1.5 and later: data with a signal, and collectives
 * of teams.
 */
#include <bench/shmem/loops.h>

#include <shmem.h>

void osh_put_with_flag(const struct osh_message* message, uint64_t value, int pe) {
  shmem_uint64_put_signal(message->target, message->source, message->words, message->flag, value,
                          SHMEM_SIGNAL_SET, pe);
}

void osh_broadcast(uint64_t* target, const uint64_t* source, size_t words, unsigned turn) {
  (void)turn;
  shmem_uint64_broadcast(SHMEM_TEAM_WORLD, target, source, words, 0);
}

void osh_sum(double* target, double* source, size_t count, unsigned turn) {
  (void)turn;
  shmem_double_sum_reduce(SHMEM_TEAM_WORLD, target, source, count);
}

void osh_alltoall(uint64_t* target, const uint64_t* source, size_t words, unsigned turn) {
  (void)turn;
  shmem_uint64_alltoall(SHMEM_TEAM_WORLD, target, source, words);
}
