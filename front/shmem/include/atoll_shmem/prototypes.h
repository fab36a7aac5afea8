/* SPDX-License-Identifier: BSD-3-Clause

   The functions of OpenSHMEM 1.6 by chapter, each family declared once for a type and a prefix:
   ATOLL_SHMEM_DECLARE(shmem) declares the interface, ATOLL_SHMEM_DECLARE(pshmem) the twins for
   tools. A function that exists with and without a context is declared by ATOLL_SHMEM_BOTH, whose
   arguments are the prefix, the result, the name behind the prefix, and the parameters.

   Variables that a program waits on are declared volatile here, beyond the specification, so that
   programs for versions before 1.5 compile. */
#ifndef ATOLL_SHMEM_PROTOTYPES_H
#define ATOLL_SHMEM_PROTOTYPES_H

#include <atoll_shmem/types.h>

/* clang-format off */

#define ATOLL_SHMEM_BOTH(P, RESULT, NAME, ...)                                       \
  RESULT P##_##NAME(__VA_ARGS__);                                                    \
  RESULT P##_ctx_##NAME(shmem_ctx_t ctx, __VA_ARGS__);

/* ---- set-up, threads, memory, teams, contexts -------------------------------------------------- */

#define ATOLL_SHMEM_DECLARE_LIBRARY(P)                                               \
  void P##_init(void);                                                               \
  int P##_init_thread(int requested, int* provided);                                 \
  void P##_finalize(void);                                                           \
  void P##_query_initialized(int* initialized);                                      \
  void P##_query_thread(int* provided);                                              \
  __attribute__((noreturn)) void P##_global_exit(int status);                        \
  int P##_my_pe(void);                                                               \
  int P##_n_pes(void);                                                               \
  int P##_pe_accessible(int pe);                                                     \
  int P##_addr_accessible(const void* addr, int pe);                                 \
  void* P##_ptr(const void* dest, int pe);                                           \
  void* P##_team_ptr(shmem_team_t team, const void* dest, int pe);                   \
  void P##_info_get_version(int* major, int* minor);                                 \
  void P##_info_get_name(char* name);                                                \
  void P##_pcontrol(int level, ...);

#define ATOLL_SHMEM_DECLARE_MEMORY(P)                                                \
  void* P##_malloc(size_t size);                                                     \
  void* P##_malloc_with_hints(size_t size, long hints);                              \
  void* P##_calloc(size_t count, size_t size);                                       \
  void* P##_align(size_t alignment, size_t size);                                    \
  void* P##_realloc(void* ptr, size_t size);                                         \
  void P##_free(void* ptr);

#define ATOLL_SHMEM_DECLARE_TEAMS(P)                                                 \
  int P##_team_my_pe(shmem_team_t team);                                             \
  int P##_team_n_pes(shmem_team_t team);                                             \
  int P##_team_get_config(shmem_team_t team, long config_mask,                       \
                          shmem_team_config_t* config);                              \
  int P##_team_translate_pe(shmem_team_t src_team, int src_pe,                       \
                            shmem_team_t dest_team);                                 \
  int P##_team_split_strided(shmem_team_t parent_team, int start, int stride,        \
                             int size, const shmem_team_config_t* config,            \
                             long config_mask, shmem_team_t* new_team);              \
  int P##_team_split_2d(shmem_team_t parent_team, int xrange,                        \
                        const shmem_team_config_t* xaxis_config, long xaxis_mask,    \
                        shmem_team_t* xaxis_team,                                    \
                        const shmem_team_config_t* yaxis_config, long yaxis_mask,    \
                        shmem_team_t* yaxis_team);                                   \
  void P##_team_destroy(shmem_team_t team);                                          \
  int P##_ctx_create(long options, shmem_ctx_t* ctx);                                \
  int P##_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx);        \
  void P##_ctx_destroy(shmem_ctx_t ctx);                                             \
  int P##_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team);                         \
  void P##_ctx_session_start(shmem_ctx_t ctx, long options,                          \
                             const shmem_ctx_session_config_t* config,               \
                             long config_mask);                                      \
  void P##_ctx_session_stop(shmem_ctx_t ctx);

/* ---- remote memory access ---------------------------------------------------------------------- */

#define ATOLL_SHMEM_SIGNAL_PARAMETERS                                                \
  uint64_t *sig_addr, uint64_t signal, int sig_op, int pe
#define ATOLL_SHMEM_STRIDE_PARAMETERS ptrdiff_t dst, ptrdiff_t sst
#define ATOLL_SHMEM_BLOCK_PARAMETERS ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks

/* For every type. */
#define ATOLL_SHMEM_DECLARE_RMA(P, T, TYPE)                                          \
  ATOLL_SHMEM_BOTH(P, void, T##_put, TYPE* dest, const TYPE* source, size_t nelems, int pe) \
  ATOLL_SHMEM_BOTH(P, void, T##_get, TYPE* dest, const TYPE* source, size_t nelems, int pe) \
  ATOLL_SHMEM_BOTH(P, void, T##_put_nbi, TYPE* dest, const TYPE* source, size_t nelems, int pe) \
  ATOLL_SHMEM_BOTH(P, void, T##_get_nbi, TYPE* dest, const TYPE* source, size_t nelems, int pe) \
  ATOLL_SHMEM_BOTH(P, void, T##_p, TYPE* dest, TYPE value, int pe)                   \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_g, const TYPE* source, int pe)                       \
  ATOLL_SHMEM_BOTH(P, void, T##_iput, TYPE* dest, const TYPE* source,                \
                   ATOLL_SHMEM_STRIDE_PARAMETERS, size_t nelems, int pe)             \
  ATOLL_SHMEM_BOTH(P, void, T##_iget, TYPE* dest, const TYPE* source,                \
                   ATOLL_SHMEM_STRIDE_PARAMETERS, size_t nelems, int pe)             \
  ATOLL_SHMEM_BOTH(P, void, T##_ibput, TYPE* dest, const TYPE* source,               \
                   ATOLL_SHMEM_BLOCK_PARAMETERS, int pe)                             \
  ATOLL_SHMEM_BOTH(P, void, T##_ibget, TYPE* dest, const TYPE* source,               \
                   ATOLL_SHMEM_BLOCK_PARAMETERS, int pe)                             \
  ATOLL_SHMEM_BOTH(P, void, T##_put_signal, TYPE* dest, const TYPE* source, size_t nelems, \
                   ATOLL_SHMEM_SIGNAL_PARAMETERS)                                    \
  ATOLL_SHMEM_BOTH(P, void, T##_put_signal_nbi, TYPE* dest, const TYPE* source,      \
                   size_t nelems, ATOLL_SHMEM_SIGNAL_PARAMETERS)

/* For elements of a size; S is 8 to 128, or mem. */
#define ATOLL_SHMEM_DECLARE_CONTIGUOUS(P, S, BYTES)                                  \
  ATOLL_SHMEM_BOTH(P, void, put##S, void* dest, const void* source, size_t nelems, int pe) \
  ATOLL_SHMEM_BOTH(P, void, get##S, void* dest, const void* source, size_t nelems, int pe) \
  ATOLL_SHMEM_BOTH(P, void, put##S##_nbi, void* dest, const void* source, size_t nelems, int pe) \
  ATOLL_SHMEM_BOTH(P, void, get##S##_nbi, void* dest, const void* source, size_t nelems, int pe) \
  ATOLL_SHMEM_BOTH(P, void, put##S##_signal, void* dest, const void* source,         \
                   size_t nelems, ATOLL_SHMEM_SIGNAL_PARAMETERS)                     \
  ATOLL_SHMEM_BOTH(P, void, put##S##_signal_nbi, void* dest, const void* source,     \
                   size_t nelems, ATOLL_SHMEM_SIGNAL_PARAMETERS)
#define ATOLL_SHMEM_DECLARE_STRIDED(P, S, BYTES)                                     \
  ATOLL_SHMEM_BOTH(P, void, iput##S, void* dest, const void* source,                 \
                   ATOLL_SHMEM_STRIDE_PARAMETERS, size_t nelems, int pe)             \
  ATOLL_SHMEM_BOTH(P, void, iget##S, void* dest, const void* source,                 \
                   ATOLL_SHMEM_STRIDE_PARAMETERS, size_t nelems, int pe)             \
  ATOLL_SHMEM_BOTH(P, void, ibput##S, void* dest, const void* source,                \
                   ATOLL_SHMEM_BLOCK_PARAMETERS, int pe)                             \
  ATOLL_SHMEM_BOTH(P, void, ibget##S, void* dest, const void* source,                \
                   ATOLL_SHMEM_BLOCK_PARAMETERS, int pe)

/* ---- atomics and signals ----------------------------------------------------------------------- */

#define ATOLL_SHMEM_DECLARE_AMO_EXTENDED(P, T, TYPE)                                 \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_atomic_fetch, const TYPE* source, int pe)            \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_set, TYPE* dest, TYPE value, int pe)          \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_atomic_swap, TYPE* dest, TYPE value, int pe)         \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_fetch_nbi, TYPE* fetch, const TYPE* source, int pe) \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_swap_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe)
#define ATOLL_SHMEM_DECLARE_AMO(P, T, TYPE)                                          \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_atomic_compare_swap, TYPE* dest, TYPE cond, TYPE value, int pe) \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_atomic_fetch_inc, TYPE* dest, int pe)                \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_inc, TYPE* dest, int pe)                      \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_atomic_fetch_add, TYPE* dest, TYPE value, int pe)    \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_add, TYPE* dest, TYPE value, int pe)          \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_compare_swap_nbi, TYPE* fetch, TYPE* dest, TYPE cond, \
                   TYPE value, int pe)                                               \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_fetch_inc_nbi, TYPE* fetch, TYPE* dest, int pe) \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_fetch_add_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe)
#define ATOLL_SHMEM_DECLARE_BITWISE(P, T, TYPE)                                      \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_atomic_fetch_and, TYPE* dest, TYPE value, int pe)    \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_atomic_fetch_or, TYPE* dest, TYPE value, int pe)     \
  ATOLL_SHMEM_BOTH(P, TYPE, T##_atomic_fetch_xor, TYPE* dest, TYPE value, int pe)    \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_and, TYPE* dest, TYPE value, int pe)          \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_or, TYPE* dest, TYPE value, int pe)           \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_xor, TYPE* dest, TYPE value, int pe)          \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_fetch_and_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_fetch_or_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_BOTH(P, void, T##_atomic_fetch_xor_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe)
#define ATOLL_SHMEM_DECLARE_OLD_AMO(P, T, TYPE)                                      \
  TYPE P##_##T##_cswap(TYPE* dest, TYPE cond, TYPE value, int pe);                   \
  TYPE P##_##T##_finc(TYPE* dest, int pe);                                           \
  void P##_##T##_inc(TYPE* dest, int pe);                                            \
  TYPE P##_##T##_fadd(TYPE* dest, TYPE value, int pe);                               \
  void P##_##T##_add(TYPE* dest, TYPE value, int pe);
#define ATOLL_SHMEM_DECLARE_OLD_AMO_EXTENDED(P, T, TYPE)                             \
  TYPE P##_##T##_fetch(const TYPE* source, int pe);                                  \
  void P##_##T##_set(TYPE* dest, TYPE value, int pe);                                \
  TYPE P##_##T##_swap(TYPE* dest, TYPE value, int pe);

#define ATOLL_SHMEM_DECLARE_SIGNALS(P)                                               \
  ATOLL_SHMEM_BOTH(P, void, signal_add, uint64_t* sig_addr, uint64_t signal, int pe) \
  ATOLL_SHMEM_BOTH(P, void, signal_set, uint64_t* sig_addr, uint64_t signal, int pe) \
  uint64_t P##_signal_fetch(const uint64_t* sig_addr);                               \
  uint64_t P##_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t cmp_value);

/* ---- point-to-point synchronization, ordering, locks ------------------------------------------- */

#define ATOLL_SHMEM_DECLARE_WAIT(P, T, TYPE)                                         \
  void P##_##T##_wait_until(volatile TYPE* ivar, int cmp, TYPE cmp_value);           \
  int P##_##T##_test(volatile TYPE* ivar, int cmp, TYPE cmp_value);
#define ATOLL_SHMEM_DECLARE_WAIT_SETS(P, T, TYPE)                                    \
  void P##_##T##_wait_until_all(volatile TYPE* ivars, size_t nelems, const int* status, int cmp, \
                                TYPE cmp_value);                                     \
  size_t P##_##T##_wait_until_any(volatile TYPE* ivars, size_t nelems, const int* status, int cmp, \
                                  TYPE cmp_value);                                   \
  size_t P##_##T##_wait_until_some(volatile TYPE* ivars, size_t nelems, size_t* indices, \
                                   const int* status, int cmp, TYPE cmp_value);      \
  int P##_##T##_test_all(volatile TYPE* ivars, size_t nelems, const int* status, int cmp, \
                         TYPE cmp_value);                                            \
  size_t P##_##T##_test_any(volatile TYPE* ivars, size_t nelems, const int* status, int cmp, \
                            TYPE cmp_value);                                         \
  size_t P##_##T##_test_some(volatile TYPE* ivars, size_t nelems, size_t* indices,   \
                             const int* status, int cmp, TYPE cmp_value);            \
  void P##_##T##_wait_until_all_vector(volatile TYPE* ivars, size_t nelems, const int* status, \
                                       int cmp, const TYPE* cmp_values);             \
  size_t P##_##T##_wait_until_any_vector(volatile TYPE* ivars, size_t nelems, const int* status, \
                                         int cmp, const TYPE* cmp_values);           \
  size_t P##_##T##_wait_until_some_vector(volatile TYPE* ivars, size_t nelems, size_t* indices, \
                                          const int* status, int cmp, const TYPE* cmp_values); \
  int P##_##T##_test_all_vector(volatile TYPE* ivars, size_t nelems, const int* status, int cmp, \
                                const TYPE* cmp_values);                             \
  size_t P##_##T##_test_any_vector(volatile TYPE* ivars, size_t nelems, const int* status, int cmp, \
                                   const TYPE* cmp_values);                          \
  size_t P##_##T##_test_some_vector(volatile TYPE* ivars, size_t nelems, size_t* indices, \
                                    const int* status, int cmp, const TYPE* cmp_values);
#define ATOLL_SHMEM_DECLARE_OLD_WAIT(P, T, TYPE)                                     \
  void P##_##T##_wait(volatile TYPE* ivar, TYPE cmp_value);

#define ATOLL_SHMEM_DECLARE_ORDER(P)                                                 \
  void P##_fence(void);                                                              \
  void P##_ctx_fence(shmem_ctx_t ctx);                                               \
  void P##_quiet(void);                                                              \
  void P##_ctx_quiet(shmem_ctx_t ctx);                                               \
  ATOLL_SHMEM_BOTH(P, void, pe_quiet, const int* target_pes, size_t npes)            \
  void P##_set_lock(long* lock);                                                     \
  void P##_clear_lock(long* lock);                                                   \
  int P##_test_lock(long* lock);                                                     \
  void P##_wait(volatile long* ivar, long cmp_value);                                \
  void P##_wait_until(volatile long* ivar, int cmp, long cmp_value);

/* ---- collectives ------------------------------------------------------------------------------- */

#define ATOLL_SHMEM_ACTIVE_SET int PE_start, int logPE_stride, int PE_size

#define ATOLL_SHMEM_DECLARE_TEAM_DATA(P, NAME, SUFFIX, TYPE)                         \
  int P##_##NAME##alltoall##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source, \
                                   size_t nelems);                                   \
  int P##_##NAME##alltoalls##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source, \
                                    ATOLL_SHMEM_STRIDE_PARAMETERS, size_t nelems);   \
  int P##_##NAME##broadcast##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source, \
                                    size_t nelems, int PE_root);                     \
  int P##_##NAME##collect##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source, \
                                  size_t nelems);                                    \
  int P##_##NAME##fcollect##SUFFIX(shmem_team_t team, TYPE* dest, const TYPE* source, \
                                   size_t nelems);
#define ATOLL_SHMEM_DECLARE_TEAM_TYPED(P, T, TYPE) ATOLL_SHMEM_DECLARE_TEAM_DATA(P, T##_, , TYPE)

#define ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, OP)                                   \
  int P##_##T##_##OP(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nreduce);
#define ATOLL_SHMEM_DECLARE_REDUCE_BITS(P, T, TYPE)                                  \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, and_reduce)                                 \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, or_reduce)                                  \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, xor_reduce)
#define ATOLL_SHMEM_DECLARE_REDUCE_ORDER(P, T, TYPE)                                 \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, min_reduce)                                 \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, max_reduce)
#define ATOLL_SHMEM_DECLARE_REDUCE_SUM(P, T, TYPE)                                   \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, sum_reduce)                                 \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, prod_reduce)                                \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, sum_inscan)                                 \
  ATOLL_SHMEM_DECLARE_REDUCE(P, T, TYPE, sum_exscan)

#define ATOLL_SHMEM_DECLARE_TO_ALL(P, T, TYPE, OP)                                   \
  void P##_##T##_##OP(TYPE* dest, const TYPE* source, int nreduce,                   \
                               ATOLL_SHMEM_ACTIVE_SET, TYPE* pWrk, long* pSync);
#define ATOLL_SHMEM_DECLARE_TO_ALL_BITS(P, T, TYPE)                                  \
  ATOLL_SHMEM_DECLARE_TO_ALL(P, T, TYPE, and_to_all)                                 \
  ATOLL_SHMEM_DECLARE_TO_ALL(P, T, TYPE, or_to_all)                                  \
  ATOLL_SHMEM_DECLARE_TO_ALL(P, T, TYPE, xor_to_all)
#define ATOLL_SHMEM_DECLARE_TO_ALL_ORDER(P, T, TYPE)                                 \
  ATOLL_SHMEM_DECLARE_TO_ALL(P, T, TYPE, min_to_all)                                 \
  ATOLL_SHMEM_DECLARE_TO_ALL(P, T, TYPE, max_to_all)
#define ATOLL_SHMEM_DECLARE_TO_ALL_SUM(P, T, TYPE)                                   \
  ATOLL_SHMEM_DECLARE_TO_ALL(P, T, TYPE, sum_to_all)                                 \
  ATOLL_SHMEM_DECLARE_TO_ALL(P, T, TYPE, prod_to_all)

#define ATOLL_SHMEM_DECLARE_SET_DATA(P, S)                                           \
  void P##_broadcast##S(void* dest, const void* source, size_t nelems, int PE_root,  \
                        ATOLL_SHMEM_ACTIVE_SET, long* pSync);                        \
  void P##_collect##S(void* dest, const void* source, size_t nelems,                 \
                      ATOLL_SHMEM_ACTIVE_SET, long* pSync);                          \
  void P##_fcollect##S(void* dest, const void* source, size_t nelems,                \
                       ATOLL_SHMEM_ACTIVE_SET, long* pSync);                         \
  void P##_alltoall##S(void* dest, const void* source, size_t nelems,                \
                       ATOLL_SHMEM_ACTIVE_SET, long* pSync);                         \
  void P##_alltoalls##S(void* dest, const void* source, ATOLL_SHMEM_STRIDE_PARAMETERS, \
                        size_t nelems, ATOLL_SHMEM_ACTIVE_SET, long* pSync);

#define ATOLL_SHMEM_DECLARE_SYNC(P)                                                  \
  void P##_barrier_all(void);                                                        \
  void P##_sync_all(void);                                                           \
  int P##_team_sync(shmem_team_t team);                                              \
  void P##_barrier(ATOLL_SHMEM_ACTIVE_SET, long* pSync);                             \
  void P##_sync(ATOLL_SHMEM_ACTIVE_SET, long* pSync);                                \
  ATOLL_SHMEM_DECLARE_TEAM_DATA(P, , mem, void)                                      \
  ATOLL_SHMEM_DECLARE_SET_DATA(P, 32)                                                \
  ATOLL_SHMEM_DECLARE_SET_DATA(P, 64)

/* ---- all --------------------------------------------------------------------------------------- */

/* Names of former versions. The cache routines left the specification with 1.5. */
#define ATOLL_SHMEM_DECLARE_OLD(P, START, ME, PES, MALLOC, FREE, REALLOC, ALIGN)     \
  void START(int npes);                                                              \
  int ME(void);                                                                      \
  int PES(void);                                                                     \
  void* MALLOC(size_t size);                                                         \
  void FREE(void* ptr);                                                              \
  void* REALLOC(void* ptr, size_t size);                                             \
  void* ALIGN(size_t alignment, size_t size);                                        \
  void P##_set_cache_inv(void);                                                      \
  void P##_clear_cache_inv(void);                                                    \
  void P##_set_cache_line_inv(void* dest);                                           \
  void P##_clear_cache_line_inv(void* dest);                                         \
  void P##_udcflush(void);                                                           \
  void P##_udcflush_line(void* dest);

#define ATOLL_SHMEM_DECLARE(P)                                                       \
  ATOLL_SHMEM_DECLARE_LIBRARY(P)                                                     \
  ATOLL_SHMEM_DECLARE_MEMORY(P)                                                      \
  ATOLL_SHMEM_DECLARE_TEAMS(P)                                                       \
  ATOLL_SHMEM_RMA(ATOLL_SHMEM_DECLARE_RMA, P)                                        \
  ATOLL_SHMEM_SIZES(ATOLL_SHMEM_DECLARE_CONTIGUOUS, P)                               \
  ATOLL_SHMEM_DECLARE_CONTIGUOUS(P, mem, 1)                                          \
  ATOLL_SHMEM_SIZES(ATOLL_SHMEM_DECLARE_STRIDED, P)                                  \
  ATOLL_SHMEM_AMO_EXTENDED(ATOLL_SHMEM_DECLARE_AMO_EXTENDED, P)                      \
  ATOLL_SHMEM_AMO(ATOLL_SHMEM_DECLARE_AMO, P)                                        \
  ATOLL_SHMEM_BITWISE(ATOLL_SHMEM_DECLARE_BITWISE, P)                                \
  ATOLL_SHMEM_AMO(ATOLL_SHMEM_DECLARE_OLD_AMO, P)                                    \
  ATOLL_SHMEM_AMO_EXTENDED(ATOLL_SHMEM_DECLARE_OLD_AMO_EXTENDED, P)                  \
  ATOLL_SHMEM_DECLARE_SIGNALS(P)                                                     \
  ATOLL_SHMEM_WAIT(ATOLL_SHMEM_DECLARE_WAIT, P)                                      \
  ATOLL_SHMEM_WAIT(ATOLL_SHMEM_DECLARE_WAIT_SETS, P)                                 \
  ATOLL_SHMEM_TO_ALL_BITS(ATOLL_SHMEM_DECLARE_OLD_WAIT, P)                           \
  ATOLL_SHMEM_DECLARE_ORDER(P)                                                       \
  ATOLL_SHMEM_RMA(ATOLL_SHMEM_DECLARE_TEAM_TYPED, P)                                 \
  ATOLL_SHMEM_REDUCE_BITS(ATOLL_SHMEM_DECLARE_REDUCE_BITS, P)                        \
  ATOLL_SHMEM_RMA(ATOLL_SHMEM_DECLARE_REDUCE_ORDER, P)                               \
  ATOLL_SHMEM_REDUCE_SUM(ATOLL_SHMEM_DECLARE_REDUCE_SUM, P)                          \
  ATOLL_SHMEM_TO_ALL_BITS(ATOLL_SHMEM_DECLARE_TO_ALL_BITS, P)                        \
  ATOLL_SHMEM_TO_ALL_ORDER(ATOLL_SHMEM_DECLARE_TO_ALL_ORDER, P)                      \
  ATOLL_SHMEM_TO_ALL_SUM(ATOLL_SHMEM_DECLARE_TO_ALL_SUM, P)                          \
  ATOLL_SHMEM_DECLARE_SYNC(P)

/* clang-format on */

#endif
