/* SPDX-License-Identifier: BSD-3-Clause

   Extensions: the time, addresses for other programming models, and names that other
   implementations gave to functions before OpenSHMEM 1.6 had them. Programs use either. */
#ifndef SHMEMX_H
#define SHMEMX_H

#include <shmem.h>

#if defined(__cplusplus)
#define ATOLL_SHMEM_EXTENSION inline
#else
#define ATOLL_SHMEM_EXTENSION static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Seconds since some moment in the past. */
double shmemx_wtime(void);

/* The address at which a symmetric object of a PE lies in the job's shared memory, for models that
   make pointers of such addresses, as upcxx::to_global_ptr() does. It differs from shmem_ptr() for
   this PE's own static variables, which have a second address there. Null where loads and stores do
   not reach the object, and for own static variables that are in private memory. Valid until the
   last finalization. */
void* shmemx_shared_ptr(const void* dest, int pe);
#ifdef __cplusplus
}
#endif

/* clang-format off */

#define ATOLL_SHMEM_EXTENSION_BLOCKS(OP, T, TYPE)                                    \
  ATOLL_SHMEM_EXTENSION void shmemx_##T##_##OP(TYPE* dest, const TYPE* source,       \
                                               ATOLL_SHMEM_BLOCK_PARAMETERS, int pe) { \
    shmem_##T##_##OP(dest, source, dst, sst, bsize, nblocks, pe);                    \
  }                                                                                  \
  ATOLL_SHMEM_EXTENSION void shmemx_ctx_##T##_##OP(shmem_ctx_t ctx, TYPE* dest,      \
                                                   const TYPE* source,               \
                                                   ATOLL_SHMEM_BLOCK_PARAMETERS, int pe) { \
    shmem_ctx_##T##_##OP(ctx, dest, source, dst, sst, bsize, nblocks, pe);           \
  }
ATOLL_SHMEM_RMA(ATOLL_SHMEM_EXTENSION_BLOCKS, ibput)
ATOLL_SHMEM_RMA(ATOLL_SHMEM_EXTENSION_BLOCKS, ibget)

#define ATOLL_SHMEM_EXTENSION_SCAN(OP, T, TYPE)                                      \
  ATOLL_SHMEM_EXTENSION int shmemx_##T##_##OP(shmem_team_t team, TYPE* dest,         \
                                              const TYPE* source, size_t nelems) {   \
    return shmem_##T##_##OP(team, dest, source, nelems);                             \
  }
ATOLL_SHMEM_REDUCE_SUM(ATOLL_SHMEM_EXTENSION_SCAN, sum_inscan)
ATOLL_SHMEM_REDUCE_SUM(ATOLL_SHMEM_EXTENSION_SCAN, sum_exscan)

/* clang-format on */

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L)
#define shmemx_ibput(...) shmem_ibput(__VA_ARGS__)
#define shmemx_ibget(...) shmem_ibget(__VA_ARGS__)
#define shmemx_sum_inscan(...) shmem_sum_inscan(__VA_ARGS__)
#define shmemx_sum_exscan(...) shmem_sum_exscan(__VA_ARGS__)
#define shmemx_signal_add(...) shmem_signal_add(__VA_ARGS__)
#define shmemx_signal_set(...) shmem_signal_set(__VA_ARGS__)
#endif

#endif
