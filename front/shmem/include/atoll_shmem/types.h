/* SPDX-License-Identifier: BSD-3-Clause

   The handles and constants of OpenSHMEM 1.6, and its tables of types: one list for each table of
   the specification, from which declarations, definitions, generic selections and overloads are
   made. A list calls its macro once per type with a prefix, the name that functions have for the
   type, and the type. Several names may mean one type: lists that select by type end in _DISTINCT
   and name every type once. On x86-64, int64_t is long.

   Beyond the specification, as other implementations have it, the deprecated atomics exist for all
   AMO types and the synchronization of sets for short numbers too.

   The handles of the world team, of the team of a host and of the default context are addresses, so
   that they can initialize static objects. */
#ifndef ATOLL_SHMEM_TYPES_H
#define ATOLL_SHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* ---- handles --------------------------------------------------------------------------------- */

/* Member i of a team is the PE first + i * stride of the world; the rest is the library's. */
struct atoll_shmem_team {
  int first;
  int stride;
  int size;
  void* state;
};
typedef struct atoll_shmem_team* shmem_team_t;

/* The same for a context's team. */
struct atoll_shmem_context {
  int first;
  int stride;
  int size;
  void* state;
};
typedef struct atoll_shmem_context* shmem_ctx_t;

typedef struct {
  int num_contexts;
} shmem_team_config_t;

typedef struct {
  size_t total_ops;
} shmem_ctx_session_config_t;

#ifdef __cplusplus
extern "C" {
#endif
extern struct atoll_shmem_team atoll_shmem_world;
extern struct atoll_shmem_team atoll_shmem_shared;
extern struct atoll_shmem_context atoll_shmem_default_context;
#ifdef __cplusplus
}
#endif

#define SHMEM_TEAM_WORLD (&atoll_shmem_world)
#define SHMEM_TEAM_SHARED (&atoll_shmem_shared)
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)
#define SHMEM_CTX_DEFAULT (&atoll_shmem_default_context)
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)

/* ---- constants ------------------------------------------------------------------------------- */

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_VENDOR_STRING "Atoll"

#define SHMEM_THREAD_SINGLE 0
#define SHMEM_THREAD_FUNNELED 1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE 3

#define SHMEM_TEAM_NUM_CONTEXTS 1L

#define SHMEM_CTX_SERIALIZED 1L
#define SHMEM_CTX_PRIVATE 2L
#define SHMEM_CTX_NOSTORE 4L
#define SHMEM_CTX_SESSION_TOTAL_OPS 1L
#define SHMEM_CTX_SESSION_BATCH 1L

#define SHMEM_SIGNAL_SET 1
#define SHMEM_SIGNAL_ADD 2

#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE 2L

#define SHMEM_CMP_EQ 1
#define SHMEM_CMP_NE 2
#define SHMEM_CMP_GT 3
#define SHMEM_CMP_LE 4
#define SHMEM_CMP_LT 5
#define SHMEM_CMP_GE 6

/* Zero, so that a work array that a program has forgotten to initialize works as well. */
#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 4
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 1

/* Their deprecated spellings. */
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

/* ---- tables of types ------------------------------------------------------------------------- */

/* clang-format off */

/* Complex numbers, spelled without <complex.h>, which would define the macros I and complex. */
__extension__ typedef float _Complex atoll_shmem_complexf;
__extension__ typedef double _Complex atoll_shmem_complexd;

/* Standard RMA types: 24 names, 14 types. */
#define ATOLL_SHMEM_RMA_BASIC(X, P)                                                  \
  X(P, float, float)             X(P, double, double)                                \
  X(P, longdouble, long double)  X(P, char, char)                                    \
  X(P, schar, signed char)       X(P, short, short)                                  \
  X(P, int, int)                 X(P, long, long)                                    \
  X(P, longlong, long long)      X(P, uchar, unsigned char)                          \
  X(P, ushort, unsigned short)   X(P, uint, unsigned int)                            \
  X(P, ulong, unsigned long)     X(P, ulonglong, unsigned long long)
#define ATOLL_SHMEM_RMA_ALIASES(X, P)                                                \
  X(P, int8, int8_t)             X(P, int16, int16_t)                                \
  X(P, int32, int32_t)           X(P, int64, int64_t)                                \
  X(P, uint8, uint8_t)           X(P, uint16, uint16_t)                              \
  X(P, uint32, uint32_t)         X(P, uint64, uint64_t)                              \
  X(P, size, size_t)             X(P, ptrdiff, ptrdiff_t)
#define ATOLL_SHMEM_RMA(X, P) ATOLL_SHMEM_RMA_BASIC(X, P) ATOLL_SHMEM_RMA_ALIASES(X, P)
#define ATOLL_SHMEM_RMA_DISTINCT ATOLL_SHMEM_RMA_BASIC

/* Sizes of the untyped forms: name and bytes. */
#define ATOLL_SHMEM_SIZES(X, P) X(P, 8, 1) X(P, 16, 2) X(P, 32, 4) X(P, 64, 8) X(P, 128, 16)

/* Standard AMO types. They are also the types of point-to-point synchronization. */
#define ATOLL_SHMEM_AMO_DISTINCT(X, P)                                               \
  X(P, int, int)                 X(P, long, long)                                    \
  X(P, longlong, long long)      X(P, uint, unsigned int)                            \
  X(P, ulong, unsigned long)     X(P, ulonglong, unsigned long long)
#define ATOLL_SHMEM_AMO_ALIASES(X, P)                                                \
  X(P, int32, int32_t)           X(P, int64, int64_t)                                \
  X(P, uint32, uint32_t)         X(P, uint64, uint64_t)                              \
  X(P, size, size_t)             X(P, ptrdiff, ptrdiff_t)
#define ATOLL_SHMEM_AMO(X, P) ATOLL_SHMEM_AMO_DISTINCT(X, P) ATOLL_SHMEM_AMO_ALIASES(X, P)

/* Extended AMO types: fetch, set and swap have floating numbers as well. */
#define ATOLL_SHMEM_FLOATING(X, P) X(P, float, float) X(P, double, double)
#define ATOLL_SHMEM_AMO_EXTENDED(X, P) ATOLL_SHMEM_AMO(X, P) ATOLL_SHMEM_FLOATING(X, P)
#define ATOLL_SHMEM_AMO_EXTENDED_DISTINCT(X, P)                                      \
  ATOLL_SHMEM_AMO_DISTINCT(X, P) ATOLL_SHMEM_FLOATING(X, P)

/* Bitwise AMO types. */
#define ATOLL_SHMEM_BITWISE(X, P)                                                    \
  X(P, uint, unsigned int)       X(P, ulong, unsigned long)                          \
  X(P, ulonglong, unsigned long long)                                                \
  X(P, int32, int32_t)           X(P, int64, int64_t)                                \
  X(P, uint32, uint32_t)         X(P, uint64, uint64_t)
#define ATOLL_SHMEM_BITWISE_DISTINCT(X, P)                                           \
  X(P, int32, int)               X(P, int64, long)                                   \
  X(P, uint, unsigned int)       X(P, ulong, unsigned long)                          \
  X(P, ulonglong, unsigned long long)

/* Types of wait and test. The last two are deprecated; forms for sets are an extension for them. */
#define ATOLL_SHMEM_SHORT(X, P) X(P, short, short) X(P, ushort, unsigned short)
#define ATOLL_SHMEM_WAIT(X, P) ATOLL_SHMEM_AMO(X, P) ATOLL_SHMEM_SHORT(X, P)
#define ATOLL_SHMEM_WAIT_DISTINCT(X, P)                                              \
  ATOLL_SHMEM_AMO_DISTINCT(X, P) ATOLL_SHMEM_SHORT(X, P)

/* Reductions of teams: and, or, xor; min and max are of the RMA types; sum and prod of those and of
   complex numbers. */
#define ATOLL_SHMEM_REDUCE_BITS(X, P)                                                \
  X(P, uchar, unsigned char)     X(P, ushort, unsigned short)                        \
  X(P, uint, unsigned int)       X(P, ulong, unsigned long)                          \
  X(P, ulonglong, unsigned long long)                                                \
  X(P, int8, int8_t)             X(P, int16, int16_t)                                \
  X(P, int32, int32_t)           X(P, int64, int64_t)                                \
  X(P, uint8, uint8_t)           X(P, uint16, uint16_t)                              \
  X(P, uint32, uint32_t)         X(P, uint64, uint64_t)                              \
  X(P, size, size_t)
#define ATOLL_SHMEM_REDUCE_BITS_DISTINCT(X, P)                                       \
  X(P, uchar, unsigned char)     X(P, ushort, unsigned short)                        \
  X(P, uint, unsigned int)       X(P, ulong, unsigned long)                          \
  X(P, ulonglong, unsigned long long)                                                \
  X(P, int8, signed char)        X(P, int16, short)                                  \
  X(P, int32, int)               X(P, int64, long)
#define ATOLL_SHMEM_COMPLEX(X, P)                                                    \
  X(P, complexf, atoll_shmem_complexf) X(P, complexd, atoll_shmem_complexd)
#define ATOLL_SHMEM_REDUCE_SUM(X, P) ATOLL_SHMEM_RMA(X, P) ATOLL_SHMEM_COMPLEX(X, P)
#define ATOLL_SHMEM_REDUCE_SUM_DISTINCT(X, P)                                        \
  ATOLL_SHMEM_RMA_DISTINCT(X, P) ATOLL_SHMEM_COMPLEX(X, P)

/* Reductions of active sets. */
#define ATOLL_SHMEM_TO_ALL_BITS(X, P)                                                \
  X(P, short, short) X(P, int, int) X(P, long, long) X(P, longlong, long long)
#define ATOLL_SHMEM_TO_ALL_ORDER(X, P)                                               \
  ATOLL_SHMEM_TO_ALL_BITS(X, P) ATOLL_SHMEM_FLOATING(X, P) X(P, longdouble, long double)
#define ATOLL_SHMEM_TO_ALL_SUM(X, P) ATOLL_SHMEM_TO_ALL_ORDER(X, P) ATOLL_SHMEM_COMPLEX(X, P)

/* clang-format on */

#endif
