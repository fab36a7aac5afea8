/* SPDX-License-Identifier: BSD-3-Clause

   The 73 type-generic names of C11, each used on at least one type, with and without a context; and
   the predefined handles as initializers of static objects. Ends with 1 where a value is wrong. */
#include <mpp/shmemx.h>
#include <pshmem.h>

#include <stdio.h>

static shmem_team_t world = SHMEM_TEAM_WORLD;
static shmem_team_t const shared = SHMEM_TEAM_SHARED;
static shmem_ctx_t context = SHMEM_CTX_DEFAULT;

static int wrong;
#define EXPECT(CONDITION)                                                      \
  do {                                                                         \
    if (!(CONDITION)) {                                                        \
      printf("PE %d, line %d: not %s\n", shmem_my_pe(), __LINE__, #CONDITION); \
      wrong = 1;                                                               \
    }                                                                          \
  } while (0)

static long target[8], source[8], fetched;
static unsigned bits;
static double real_target[8], real_source[8];
static uint64_t signal_word;

static void transfer(int next) {
  shmem_put(target, source, 1, next);
  shmem_put(context, real_target, real_source, 2, next);
  shmem_get(real_target, real_source, 2, next);
  shmem_get(context, target, source, 1, next);
  shmem_put_nbi(target, source, 1, next);
  shmem_put_nbi(context, target, source, 1, next);
  shmem_get_nbi(target, source, 1, next);
  shmem_get_nbi(context, target, source, 1, next);
  shmem_quiet();
  shmem_iput(target, source, 2, 1, 3, next);
  shmem_iget(context, target, source, 2, 1, 3, next);
  shmem_ibput(target, source, 4, 4, 2, 2, next);
  shmem_ibget(context, target, source, 4, 4, 2, 2, next);
  shmem_barrier_all();
  shmem_p(&target[0], 5, next);
  shmem_p(context, real_target, 2, next);
  shmem_barrier_all();
  EXPECT(shmem_g(&target[0], next) == 5);
  EXPECT(shmem_g(context, (const double*)real_target, next) == 2.0);
  shmem_barrier_all();
  shmem_put_signal(target, source, 1, &signal_word, 1, SHMEM_SIGNAL_ADD, next);
  shmem_put_signal_nbi(context, target, source, 1, &signal_word, 1, SHMEM_SIGNAL_ADD, next);
  shmem_signal_add(&signal_word, 1, next);
  shmem_signal_add(context, &signal_word, 1, next);
  EXPECT(shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 4) == 4);
  shmem_barrier_all();
  shmem_signal_set(&signal_word, 9, next);
  shmem_signal_set(context, &signal_word, 9, next);
  shmem_barrier_all();
  EXPECT(shmem_signal_fetch(&signal_word) == 9);
}

static void count(int self) {
  target[0] = 0;
  bits = 0;
  shmem_atomic_set(&target[0], 3, self);
  shmem_atomic_inc(context, &target[0], self);
  shmem_atomic_add(&target[0], 2, self);
  EXPECT(shmem_atomic_fetch_inc(&target[0], self) == 6);
  EXPECT(shmem_atomic_fetch_add(context, &target[0], 3, self) == 7);
  EXPECT(shmem_atomic_swap(&target[0], 1, self) == 10);
  EXPECT(shmem_atomic_compare_swap(&target[0], 1, 2, self) == 1);
  EXPECT(shmem_atomic_fetch((const long*)target, self) == 2);
  shmem_atomic_fetch_nbi(&fetched, target, self);
  shmem_atomic_swap_nbi(context, &fetched, target, 4, self);
  shmem_atomic_compare_swap_nbi(&fetched, target, 4, 5, self);
  shmem_atomic_fetch_inc_nbi(&fetched, target, self);
  shmem_atomic_fetch_add_nbi(&fetched, target, 1, self);
  shmem_quiet();
  EXPECT(fetched == 6);
  shmem_atomic_or(&bits, 6u, self);
  shmem_atomic_and(context, &bits, 3u, self);
  shmem_atomic_xor(&bits, 1u, self);
  EXPECT(shmem_atomic_fetch_or(&bits, 8u, self) == 3);
  EXPECT(shmem_atomic_fetch_and(&bits, 9u, self) == 11);
  EXPECT(shmem_atomic_fetch_xor(context, &bits, 1u, self) == 9);
  {
    unsigned old = 0;
    shmem_atomic_fetch_or_nbi(&old, &bits, 1u, self);
    shmem_atomic_fetch_and_nbi(&old, &bits, 1u, self);
    shmem_atomic_fetch_xor_nbi(context, &old, &bits, 1u, self);
    shmem_quiet();
    EXPECT(old == 1);
  }
  shmem_set(&target[0], 1, self);
  shmem_inc(&target[0], self);
  shmem_add(&target[0], 1, self);
  EXPECT(shmem_finc(&target[0], self) == 3);
  EXPECT(shmem_fadd(&target[0], 1, self) == 4);
  EXPECT(shmem_cswap(&target[0], 5, 6, self) == 5);
  EXPECT(shmem_swap(&target[0], 7, self) == 6);
  EXPECT(shmem_fetch(&target[0], self) == 7);
}

static void wait(void) {
  static int flags[2] = {1, 1};
  static volatile short old_flag = 1;
  const int values[2] = {1, 1};
  size_t found[2];
  shmem_wait_until(&flags[0], SHMEM_CMP_EQ, 1);
  shmem_wait_until(&old_flag, SHMEM_CMP_EQ, 1);
  shmem_wait_until_all(flags, 2, NULL, SHMEM_CMP_EQ, 1);
  shmem_wait_until_all_vector(flags, 2, NULL, SHMEM_CMP_EQ, values);
  EXPECT(shmem_wait_until_any(flags, 2, NULL, SHMEM_CMP_EQ, 1) < 2);
  EXPECT(shmem_wait_until_any_vector(flags, 2, NULL, SHMEM_CMP_EQ, values) < 2);
  EXPECT(shmem_wait_until_some(flags, 2, found, NULL, SHMEM_CMP_EQ, 1) == 2);
  EXPECT(shmem_wait_until_some_vector(flags, 2, found, NULL, SHMEM_CMP_EQ, values) == 2);
  EXPECT(shmem_test(&flags[0], SHMEM_CMP_EQ, 1));
  EXPECT(shmem_test_all(flags, 2, NULL, SHMEM_CMP_EQ, 1));
  EXPECT(shmem_test_all_vector(flags, 2, NULL, SHMEM_CMP_EQ, values));
  EXPECT(shmem_test_any(flags, 2, NULL, SHMEM_CMP_EQ, 1) < 2);
  EXPECT(shmem_test_any_vector(flags, 2, NULL, SHMEM_CMP_EQ, values) < 2);
  EXPECT(shmem_test_some(flags, 2, found, NULL, SHMEM_CMP_EQ, 1) == 2);
  EXPECT(shmem_test_some_vector(flags, 2, found, NULL, SHMEM_CMP_EQ, values) == 2);
}

static void meet(int pes) {
  static int result[64], units[64];
  static unsigned some_bits, bit = 1;
  static long sync_array[SHMEM_SYNC_SIZE];
  int i;
  for (i = 0; i < 64; ++i) units[i] = 1;
  EXPECT(shmem_sync(world) == 0);
  shmem_sync(0, 0, pes, sync_array);
  EXPECT(shmem_broadcast(world, result, units, 1, 0) == 0);
  EXPECT(shmem_collect(world, result, units, 1) == 0);
  EXPECT(shmem_fcollect(world, result, units, 1) == 0);
  EXPECT(shmem_alltoall(world, result, units, 1) == 0);
  EXPECT(shmem_alltoalls(world, result, units, 1, 1, 1) == 0);
  EXPECT(shmem_sum_reduce(world, result, units, 1) == 0 && result[0] == pes);
  EXPECT(shmem_prod_reduce(world, result, units, 1) == 0 && result[0] == 1);
  EXPECT(shmem_min_reduce(world, result, units, 1) == 0 && result[0] == 1);
  EXPECT(shmem_max_reduce(world, result, units, 1) == 0 && result[0] == 1);
  EXPECT(shmem_and_reduce(world, &some_bits, &bit, 1) == 0 && some_bits == 1);
  EXPECT(shmem_or_reduce(world, &some_bits, &bit, 1) == 0 && some_bits == 1);
  EXPECT(shmem_xor_reduce(world, &some_bits, &bit, 1) == 0 && some_bits == (unsigned)pes % 2);
  EXPECT(shmem_sum_inscan(world, result, units, 1) == 0 && result[0] == shmem_my_pe() + 1);
  EXPECT(shmem_sum_exscan(world, result, units, 1) == 0 && result[0] == shmem_my_pe());
}

int main(void) {
  shmem_init();
  EXPECT(pshmem_my_pe() == shmem_my_pe());
  EXPECT(shmem_team_n_pes(shared) >= 1);
  transfer((shmem_my_pe() + 1) % shmem_n_pes());
  count(shmem_my_pe());
  wait();
  meet(shmem_n_pes());
  EXPECT(shmemx_wtime() > 0);
  shmem_finalize();
  return wrong;
}
