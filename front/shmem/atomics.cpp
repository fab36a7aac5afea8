// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic memory operations: each name of the chapter is one operation of the core.
#include <front/shmem/amo.hpp>

using namespace atl::shmem;
using atl::atomic_op;

// clang-format off

#define EXTENDED(P, T, TYPE)                                                                       \
  ATOLL_SHMEM_ENTRIES(TYPE, T##_atomic_fetch,                                                      \
                      amo("shmem_atomic_fetch", ctx, source, pe, atomic_op::get),                  \
                      const TYPE* source, int pe)                                                  \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_set,                                                        \
                      (void)amo("shmem_atomic_set", ctx, dest, pe, atomic_op::set, value),         \
                      TYPE* dest, TYPE value, int pe)                                              \
  ATOLL_SHMEM_ENTRIES(TYPE, T##_atomic_swap,                                                       \
                      amo("shmem_atomic_swap", ctx, dest, pe, atomic_op::swap, value),             \
                      TYPE* dest, TYPE value, int pe)                                              \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_fetch_nbi,                                                  \
                      amo_nbi("shmem_atomic_fetch_nbi", ctx, fetch, source, pe,                    \
                                          atomic_op::get),                                         \
                      TYPE* fetch, const TYPE* source, int pe)                                     \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_swap_nbi,                                                   \
                      amo_nbi("shmem_atomic_swap_nbi", ctx, fetch, dest, pe,                       \
                                          atomic_op::swap, value),                                 \
                      TYPE* fetch, TYPE* dest, TYPE value, int pe)
ATOLL_SHMEM_AMO_EXTENDED(EXTENDED, )

#define STANDARD(P, T, TYPE)                                                                       \
  ATOLL_SHMEM_ENTRIES(TYPE, T##_atomic_compare_swap,                                               \
                      amo("shmem_atomic_compare_swap", ctx, dest, pe, atomic_op::fetch_cas, cond,  \
                          value),                                                                  \
                      TYPE* dest, TYPE cond, TYPE value, int pe)                                   \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_compare_swap_nbi,                                           \
                      amo_nbi("shmem_atomic_compare_swap_nbi", ctx, fetch, dest, pe,               \
                                          atomic_op::fetch_cas, cond, value),                      \
                      TYPE* fetch, TYPE* dest, TYPE cond, TYPE value, int pe)                      \
  ATOLL_SHMEM_ENTRIES(TYPE, T##_atomic_fetch_inc,                                                  \
                      amo("shmem_atomic_fetch_inc", ctx, dest, pe, atomic_op::fetch_inc),          \
                      TYPE* dest, int pe)                                                          \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_fetch_inc_nbi,                                              \
                      amo_nbi("shmem_atomic_fetch_inc_nbi", ctx, fetch, dest, pe,                  \
                                          atomic_op::fetch_inc),                                   \
                      TYPE* fetch, TYPE* dest, int pe)                                             \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_inc,                                                        \
                      (void)amo("shmem_atomic_inc", ctx, dest, pe, atomic_op::inc),                \
                      TYPE* dest, int pe)                                                          \
  ATOLL_SHMEM_ENTRIES(TYPE, T##_atomic_fetch_add,                                                  \
                      amo("shmem_atomic_fetch_add", ctx, dest, pe, atomic_op::fetch_add, value),   \
                      TYPE* dest, TYPE value, int pe)                                              \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_fetch_add_nbi,                                              \
                      amo_nbi("shmem_atomic_fetch_add_nbi", ctx, fetch, dest, pe,                  \
                                          atomic_op::fetch_add, value),                            \
                      TYPE* fetch, TYPE* dest, TYPE value, int pe)                                 \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_add,                                                        \
                      (void)amo("shmem_atomic_add", ctx, dest, pe, atomic_op::add, value),         \
                      TYPE* dest, TYPE value, int pe)
ATOLL_SHMEM_AMO(STANDARD, )

#define BITWISE_OPERATION(T, TYPE, NAME, PLAIN, FETCHING)                                          \
  ATOLL_SHMEM_ENTRIES(TYPE, T##_atomic_fetch_##NAME,                                               \
                      amo("shmem_atomic_fetch_" #NAME, ctx, dest, pe, atomic_op::FETCHING, value), \
                      TYPE* dest, TYPE value, int pe)                                              \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_fetch_##NAME##_nbi,                                         \
                      amo_nbi("shmem_atomic_fetch_" #NAME "_nbi", ctx, fetch, dest, pe,            \
                                          atomic_op::FETCHING, value),                             \
                      TYPE* fetch, TYPE* dest, TYPE value, int pe)                                 \
  ATOLL_SHMEM_ENTRIES(void, T##_atomic_##NAME,                                                     \
                      (void)amo("shmem_atomic_" #NAME, ctx, dest, pe, atomic_op::PLAIN, value),    \
                      TYPE* dest, TYPE value, int pe)
#define BITWISE(P, T, TYPE)                                                                        \
  BITWISE_OPERATION(T, TYPE, and, bit_and, fetch_and)                                              \
  BITWISE_OPERATION(T, TYPE, or, bit_or, fetch_or)                                                 \
  BITWISE_OPERATION(T, TYPE, xor, bit_xor, fetch_xor)
ATOLL_SHMEM_BITWISE(BITWISE, )

// The deprecated names.
#define OLD(P, T, TYPE)                                                                            \
  ATOLL_SHMEM_ENTRY(TYPE, T##_cswap, (TYPE* dest, TYPE cond, TYPE value, int pe),                  \
                    return amo("shmem_cswap", SHMEM_CTX_DEFAULT, dest, pe, atomic_op::fetch_cas,   \
                               cond, value))                                                       \
  ATOLL_SHMEM_ENTRY(TYPE, T##_finc, (TYPE* dest, int pe),                                          \
                    return amo("shmem_finc", SHMEM_CTX_DEFAULT, dest, pe, atomic_op::fetch_inc))   \
  ATOLL_SHMEM_ENTRY(void, T##_inc, (TYPE* dest, int pe),                                           \
                    amo("shmem_inc", SHMEM_CTX_DEFAULT, dest, pe, atomic_op::inc))                 \
  ATOLL_SHMEM_ENTRY(TYPE, T##_fadd, (TYPE* dest, TYPE value, int pe),                              \
                    return amo("shmem_fadd", SHMEM_CTX_DEFAULT, dest, pe, atomic_op::fetch_add,    \
                               value))                                                             \
  ATOLL_SHMEM_ENTRY(void, T##_add, (TYPE* dest, TYPE value, int pe),                               \
                    amo("shmem_add", SHMEM_CTX_DEFAULT, dest, pe, atomic_op::add, value))
ATOLL_SHMEM_AMO(OLD, )

#define OLD_EXTENDED(P, T, TYPE)                                                                   \
  ATOLL_SHMEM_ENTRY(TYPE, T##_fetch, (const TYPE* source, int pe),                                 \
                    return amo("shmem_fetch", SHMEM_CTX_DEFAULT, source, pe, atomic_op::get))      \
  ATOLL_SHMEM_ENTRY(void, T##_set, (TYPE* dest, TYPE value, int pe),                               \
                    amo("shmem_set", SHMEM_CTX_DEFAULT, dest, pe, atomic_op::set, value))          \
  ATOLL_SHMEM_ENTRY(TYPE, T##_swap, (TYPE* dest, TYPE value, int pe),                              \
                    return amo("shmem_swap", SHMEM_CTX_DEFAULT, dest, pe, atomic_op::swap, value))
ATOLL_SHMEM_AMO_EXTENDED(OLD_EXTENDED, )

// clang-format on
