/* SPDX-License-Identifier: BSD-3-Clause

   The type-generic names of C11: each is a macro that selects the function by the type of its first
   argument, or of its second where the first is a context or a team. The lists name every type once
   (atoll_shmem/types.h). An argument of any other type selects a function that takes no arguments,
   whose name the compiler then prints. */
#ifndef ATOLL_SHMEM_GENERIC_H
#define ATOLL_SHMEM_GENERIC_H

#include <atoll_shmem/prototypes.h>

void atoll_shmem_type_without_this_function(void);

/* clang-format off */

#define ATOLL_SHMEM_FIRST_OF(A, ...) A
#define ATOLL_SHMEM_SECOND_OF(A, B, ...) B
#define ATOLL_SHMEM_FIRST(...) ATOLL_SHMEM_FIRST_OF(__VA_ARGS__, 0)
#define ATOLL_SHMEM_SECOND(...) ATOLL_SHMEM_SECOND_OF(__VA_ARGS__, 0, 0)

/* Cases for pointers to what a function writes, reads, or waits on. */
#define ATOLL_SHMEM_CASE(OP, T, TYPE) TYPE*: shmem_##T##_##OP,
#define ATOLL_SHMEM_CTX_CASE(OP, T, TYPE) TYPE*: shmem_ctx_##T##_##OP,
#define ATOLL_SHMEM_READ_CASE(OP, T, TYPE)                                           \
  TYPE*: shmem_##T##_##OP, const TYPE*: shmem_##T##_##OP,
#define ATOLL_SHMEM_CTX_READ_CASE(OP, T, TYPE)                                       \
  TYPE*: shmem_ctx_##T##_##OP, const TYPE*: shmem_ctx_##T##_##OP,
#define ATOLL_SHMEM_WAIT_CASE(OP, T, TYPE)                                           \
  TYPE*: shmem_##T##_##OP, volatile TYPE*: shmem_##T##_##OP,

/* Selection by the first argument; by the second; with and without a context. */
#define ATOLL_SHMEM_SELECT(TYPES, CASE, OP, ARGUMENT)                                \
  _Generic((ARGUMENT), TYPES(CASE, OP) default: atoll_shmem_type_without_this_function)
#define ATOLL_SHMEM_SELECT_FORM(TYPES, CASE, CTX_CASE, OP, ...)                      \
  _Generic((ATOLL_SHMEM_FIRST(__VA_ARGS__)),                                         \
    shmem_ctx_t: ATOLL_SHMEM_SELECT(TYPES, CTX_CASE, OP, ATOLL_SHMEM_SECOND(__VA_ARGS__)), \
    TYPES(CASE, OP) default: atoll_shmem_type_without_this_function)(__VA_ARGS__)

#define ATOLL_SHMEM_WRITE(TYPES, OP, ...)                                            \
  ATOLL_SHMEM_SELECT_FORM(TYPES, ATOLL_SHMEM_CASE, ATOLL_SHMEM_CTX_CASE, OP, __VA_ARGS__)
#define ATOLL_SHMEM_READ(TYPES, OP, ...)                                             \
  ATOLL_SHMEM_SELECT_FORM(TYPES, ATOLL_SHMEM_READ_CASE, ATOLL_SHMEM_CTX_READ_CASE, OP, __VA_ARGS__)
#define ATOLL_SHMEM_OLD(TYPES, CASE, OP, ...)                                        \
  ATOLL_SHMEM_SELECT(TYPES, CASE, OP, ATOLL_SHMEM_FIRST(__VA_ARGS__))(__VA_ARGS__)
#define ATOLL_SHMEM_ON_TEAM(TYPES, OP, ...)                                          \
  ATOLL_SHMEM_SELECT(TYPES, ATOLL_SHMEM_CASE, OP, ATOLL_SHMEM_SECOND(__VA_ARGS__))(__VA_ARGS__)
#define ATOLL_SHMEM_WAIT_ON(TYPES, OP, ...)                                          \
  ATOLL_SHMEM_SELECT(TYPES, ATOLL_SHMEM_WAIT_CASE, OP,                               \
                     ATOLL_SHMEM_FIRST(__VA_ARGS__))(__VA_ARGS__)

/* Remote memory access. */
#define shmem_put(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, put, __VA_ARGS__)
#define shmem_get(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, get, __VA_ARGS__)
#define shmem_put_nbi(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, get_nbi, __VA_ARGS__)
#define shmem_p(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, p, __VA_ARGS__)
#define shmem_g(...) ATOLL_SHMEM_READ(ATOLL_SHMEM_RMA_DISTINCT, g, __VA_ARGS__)
#define shmem_iput(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, iput, __VA_ARGS__)
#define shmem_iget(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, iget, __VA_ARGS__)
#define shmem_ibput(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, ibput, __VA_ARGS__)
#define shmem_ibget(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, ibget, __VA_ARGS__)
#define shmem_put_signal(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...)                                                    \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_RMA_DISTINCT, put_signal_nbi, __VA_ARGS__)

/* Atomics. */
#define shmem_atomic_fetch(...)                                                      \
  ATOLL_SHMEM_READ(ATOLL_SHMEM_AMO_EXTENDED_DISTINCT, atomic_fetch, __VA_ARGS__)
#define shmem_atomic_set(...)                                                        \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_EXTENDED_DISTINCT, atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...)                                                       \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_EXTENDED_DISTINCT, atomic_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap(...)                                               \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_DISTINCT, atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...)                                                  \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_DISTINCT, atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_inc(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_DISTINCT, atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_add(...)                                                  \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_DISTINCT, atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_add(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_DISTINCT, atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_and(...)                                                  \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_and(...)                                                        \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_or(...)                                                   \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_or(...) ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...)                                                  \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_xor(...)                                                        \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_xor, __VA_ARGS__)

#define shmem_atomic_fetch_nbi(...)                                                  \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_EXTENDED_DISTINCT, atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...)                                                   \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_EXTENDED_DISTINCT, atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...)                                           \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_DISTINCT, atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...)                                              \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_DISTINCT, atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...)                                              \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_AMO_DISTINCT, atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...)                                              \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...)                                               \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...)                                              \
  ATOLL_SHMEM_WRITE(ATOLL_SHMEM_BITWISE_DISTINCT, atomic_fetch_xor_nbi, __VA_ARGS__)

/* Their deprecated names. */
#define shmem_fetch(...)                                                             \
  ATOLL_SHMEM_OLD(ATOLL_SHMEM_AMO_EXTENDED_DISTINCT, ATOLL_SHMEM_READ_CASE, fetch, __VA_ARGS__)
#define shmem_set(...)                                                               \
  ATOLL_SHMEM_OLD(ATOLL_SHMEM_AMO_EXTENDED_DISTINCT, ATOLL_SHMEM_CASE, set, __VA_ARGS__)
#define shmem_swap(...)                                                              \
  ATOLL_SHMEM_OLD(ATOLL_SHMEM_AMO_EXTENDED_DISTINCT, ATOLL_SHMEM_CASE, swap, __VA_ARGS__)
#define shmem_cswap(...)                                                             \
  ATOLL_SHMEM_OLD(ATOLL_SHMEM_AMO_DISTINCT, ATOLL_SHMEM_CASE, cswap, __VA_ARGS__)
#define shmem_finc(...) ATOLL_SHMEM_OLD(ATOLL_SHMEM_AMO_DISTINCT, ATOLL_SHMEM_CASE, finc, __VA_ARGS__)
#define shmem_inc(...) ATOLL_SHMEM_OLD(ATOLL_SHMEM_AMO_DISTINCT, ATOLL_SHMEM_CASE, inc, __VA_ARGS__)
#define shmem_fadd(...) ATOLL_SHMEM_OLD(ATOLL_SHMEM_AMO_DISTINCT, ATOLL_SHMEM_CASE, fadd, __VA_ARGS__)
#define shmem_add(...) ATOLL_SHMEM_OLD(ATOLL_SHMEM_AMO_DISTINCT, ATOLL_SHMEM_CASE, add, __VA_ARGS__)

/* Signals and synchronization, where the function without a context or team has the same name. */
#define shmem_signal_add(...)                                                        \
  _Generic((ATOLL_SHMEM_FIRST(__VA_ARGS__)),                                         \
    shmem_ctx_t: shmem_ctx_signal_add, default: shmem_signal_add)(__VA_ARGS__)
#define shmem_signal_set(...)                                                        \
  _Generic((ATOLL_SHMEM_FIRST(__VA_ARGS__)),                                         \
    shmem_ctx_t: shmem_ctx_signal_set, default: shmem_signal_set)(__VA_ARGS__)
#define shmem_sync(...)                                                              \
  _Generic((ATOLL_SHMEM_FIRST(__VA_ARGS__)),                                         \
    shmem_team_t: shmem_team_sync, default: shmem_sync)(__VA_ARGS__)

#define shmem_wait_until(...) ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, wait_until, __VA_ARGS__)
#define shmem_test(...) ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, test, __VA_ARGS__)
#define shmem_wait_until_all(...)                                                    \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...)                                                    \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...)                                                   \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...)                                             \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...)                                             \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...)                                            \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, wait_until_some_vector, __VA_ARGS__)
#define shmem_test_all(...) ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, test_all, __VA_ARGS__)
#define shmem_test_any(...) ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, test_any, __VA_ARGS__)
#define shmem_test_some(...) ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, test_some, __VA_ARGS__)
#define shmem_test_all_vector(...)                                                   \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...)                                                   \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...)                                                  \
  ATOLL_SHMEM_WAIT_ON(ATOLL_SHMEM_WAIT_DISTINCT, test_some_vector, __VA_ARGS__)

/* Collectives. */
#define shmem_alltoall(...) ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_RMA_DISTINCT, alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_RMA_DISTINCT, alltoalls, __VA_ARGS__)
#define shmem_broadcast(...) ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_RMA_DISTINCT, broadcast, __VA_ARGS__)
#define shmem_collect(...) ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_RMA_DISTINCT, collect, __VA_ARGS__)
#define shmem_fcollect(...) ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_RMA_DISTINCT, fcollect, __VA_ARGS__)
#define shmem_and_reduce(...)                                                        \
  ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_REDUCE_BITS_DISTINCT, and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...)                                                         \
  ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_REDUCE_BITS_DISTINCT, or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...)                                                        \
  ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_REDUCE_BITS_DISTINCT, xor_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_RMA_DISTINCT, min_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_RMA_DISTINCT, max_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...)                                                        \
  ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_REDUCE_SUM_DISTINCT, sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...)                                                       \
  ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_REDUCE_SUM_DISTINCT, prod_reduce, __VA_ARGS__)
#define shmem_sum_inscan(...)                                                        \
  ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_REDUCE_SUM_DISTINCT, sum_inscan, __VA_ARGS__)
#define shmem_sum_exscan(...)                                                        \
  ATOLL_SHMEM_ON_TEAM(ATOLL_SHMEM_REDUCE_SUM_DISTINCT, sum_exscan, __VA_ARGS__)

/* clang-format on */

#endif
