/* SPDX-License-Identifier: BSD-3-Clause

   The names that C11 has as type-generic macros, as overloads in C++: an extension of the
   specification. Each overload calls the function of its type, so that a tool sees it. The lists
   name every type once (atoll_shmem/types.h). */
#ifndef ATOLL_SHMEM_OVERLOADS_H
#define ATOLL_SHMEM_OVERLOADS_H

#include <shmem.h>

#ifdef __cplusplus

/* Many programs include C headers in an extern "C" of their own. */
extern "C++" {

/* clang-format off */

#define ATOLL_SHMEM_PLAIN(...) __VA_ARGS__

/* One overload; and the two of a function that exists with a context too. ARGUMENTS is in
   parentheses, and the parameters come after it. */
#define ATOLL_SHMEM_OVERLOAD(RESULT, OP, T, ARGUMENTS, ...)                          \
  inline RESULT shmem_##OP(__VA_ARGS__) { return shmem_##T##_##OP ARGUMENTS; }
#define ATOLL_SHMEM_OVERLOADS(RESULT, OP, T, ARGUMENTS, ...)                         \
  inline RESULT shmem_##OP(__VA_ARGS__) { return shmem_##T##_##OP ARGUMENTS; }       \
  inline RESULT shmem_##OP(shmem_ctx_t ctx, __VA_ARGS__) {                           \
    return shmem_ctx_##T##_##OP(ctx, ATOLL_SHMEM_PLAIN ARGUMENTS);                   \
  }

#define ATOLL_SHMEM_OVERLOADS_RMA(P, T, TYPE)                                        \
  ATOLL_SHMEM_OVERLOADS(void, put, T, (dest, source, nelems, pe),                    \
                        TYPE* dest, const TYPE* source, size_t nelems, int pe)       \
  ATOLL_SHMEM_OVERLOADS(void, get, T, (dest, source, nelems, pe),                    \
                        TYPE* dest, const TYPE* source, size_t nelems, int pe)       \
  ATOLL_SHMEM_OVERLOADS(void, put_nbi, T, (dest, source, nelems, pe),                \
                        TYPE* dest, const TYPE* source, size_t nelems, int pe)       \
  ATOLL_SHMEM_OVERLOADS(void, get_nbi, T, (dest, source, nelems, pe),                \
                        TYPE* dest, const TYPE* source, size_t nelems, int pe)       \
  ATOLL_SHMEM_OVERLOADS(void, p, T, (dest, value, pe), TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_OVERLOADS(TYPE, g, T, (source, pe), const TYPE* source, int pe)        \
  ATOLL_SHMEM_OVERLOADS(void, iput, T, (dest, source, dst, sst, nelems, pe),         \
                        TYPE* dest, const TYPE* source, ATOLL_SHMEM_STRIDE_PARAMETERS, \
                        size_t nelems, int pe)                                       \
  ATOLL_SHMEM_OVERLOADS(void, iget, T, (dest, source, dst, sst, nelems, pe),         \
                        TYPE* dest, const TYPE* source, ATOLL_SHMEM_STRIDE_PARAMETERS, \
                        size_t nelems, int pe)                                       \
  ATOLL_SHMEM_OVERLOADS(void, ibput, T, (dest, source, dst, sst, bsize, nblocks, pe), \
                        TYPE* dest, const TYPE* source, ATOLL_SHMEM_BLOCK_PARAMETERS, int pe) \
  ATOLL_SHMEM_OVERLOADS(void, ibget, T, (dest, source, dst, sst, bsize, nblocks, pe), \
                        TYPE* dest, const TYPE* source, ATOLL_SHMEM_BLOCK_PARAMETERS, int pe) \
  ATOLL_SHMEM_OVERLOADS(void, put_signal, T, (dest, source, nelems, sig_addr, signal, sig_op, pe), \
                        TYPE* dest, const TYPE* source, size_t nelems,               \
                        ATOLL_SHMEM_SIGNAL_PARAMETERS)                               \
  ATOLL_SHMEM_OVERLOADS(void, put_signal_nbi, T,                                     \
                        (dest, source, nelems, sig_addr, signal, sig_op, pe),        \
                        TYPE* dest, const TYPE* source, size_t nelems,               \
                        ATOLL_SHMEM_SIGNAL_PARAMETERS)                               \
  ATOLL_SHMEM_OVERLOAD(int, alltoall, T, (team, dest, source, nelems),               \
                       shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) \
  ATOLL_SHMEM_OVERLOAD(int, alltoalls, T, (team, dest, source, dst, sst, nelems),    \
                       shmem_team_t team, TYPE* dest, const TYPE* source,            \
                       ATOLL_SHMEM_STRIDE_PARAMETERS, size_t nelems)                 \
  ATOLL_SHMEM_OVERLOAD(int, broadcast, T, (team, dest, source, nelems, PE_root),     \
                       shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems, \
                       int PE_root)                                                  \
  ATOLL_SHMEM_OVERLOAD(int, collect, T, (team, dest, source, nelems),                \
                       shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) \
  ATOLL_SHMEM_OVERLOAD(int, fcollect, T, (team, dest, source, nelems),               \
                       shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) \
  ATOLL_SHMEM_OVERLOADS_REDUCE(min_reduce, T, TYPE)                                  \
  ATOLL_SHMEM_OVERLOADS_REDUCE(max_reduce, T, TYPE)

#define ATOLL_SHMEM_OVERLOADS_REDUCE(OP, T, TYPE)                                    \
  ATOLL_SHMEM_OVERLOAD(int, OP, T, (team, dest, source, nelems),                     \
                       shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems)
#define ATOLL_SHMEM_OVERLOADS_REDUCE_BITS(P, T, TYPE)                                \
  ATOLL_SHMEM_OVERLOADS_REDUCE(and_reduce, T, TYPE)                                  \
  ATOLL_SHMEM_OVERLOADS_REDUCE(or_reduce, T, TYPE)                                   \
  ATOLL_SHMEM_OVERLOADS_REDUCE(xor_reduce, T, TYPE)
#define ATOLL_SHMEM_OVERLOADS_REDUCE_SUM(P, T, TYPE)                                 \
  ATOLL_SHMEM_OVERLOADS_REDUCE(sum_reduce, T, TYPE)                                  \
  ATOLL_SHMEM_OVERLOADS_REDUCE(prod_reduce, T, TYPE)                                 \
  ATOLL_SHMEM_OVERLOADS_REDUCE(sum_inscan, T, TYPE)                                  \
  ATOLL_SHMEM_OVERLOADS_REDUCE(sum_exscan, T, TYPE)

#define ATOLL_SHMEM_OVERLOADS_AMO_EXTENDED(P, T, TYPE)                               \
  ATOLL_SHMEM_OVERLOADS(TYPE, atomic_fetch, T, (source, pe), const TYPE* source, int pe) \
  ATOLL_SHMEM_OVERLOADS(void, atomic_set, T, (dest, value, pe), TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_OVERLOADS(TYPE, atomic_swap, T, (dest, value, pe), TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_OVERLOADS(void, atomic_fetch_nbi, T, (fetch, source, pe),              \
                        TYPE* fetch, const TYPE* source, int pe)                     \
  ATOLL_SHMEM_OVERLOADS(void, atomic_swap_nbi, T, (fetch, dest, value, pe),          \
                        TYPE* fetch, TYPE* dest, TYPE value, int pe)
#define ATOLL_SHMEM_OVERLOADS_AMO(P, T, TYPE)                                        \
  ATOLL_SHMEM_OVERLOADS(TYPE, atomic_compare_swap, T, (dest, cond, value, pe),       \
                        TYPE* dest, TYPE cond, TYPE value, int pe)                   \
  ATOLL_SHMEM_OVERLOADS(TYPE, atomic_fetch_inc, T, (dest, pe), TYPE* dest, int pe)   \
  ATOLL_SHMEM_OVERLOADS(void, atomic_inc, T, (dest, pe), TYPE* dest, int pe)         \
  ATOLL_SHMEM_OVERLOADS(TYPE, atomic_fetch_add, T, (dest, value, pe),                \
                        TYPE* dest, TYPE value, int pe)                              \
  ATOLL_SHMEM_OVERLOADS(void, atomic_add, T, (dest, value, pe), TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_OVERLOADS(void, atomic_compare_swap_nbi, T, (fetch, dest, cond, value, pe), \
                        TYPE* fetch, TYPE* dest, TYPE cond, TYPE value, int pe)      \
  ATOLL_SHMEM_OVERLOADS(void, atomic_fetch_inc_nbi, T, (fetch, dest, pe),            \
                        TYPE* fetch, TYPE* dest, int pe)                             \
  ATOLL_SHMEM_OVERLOADS(void, atomic_fetch_add_nbi, T, (fetch, dest, value, pe),     \
                        TYPE* fetch, TYPE* dest, TYPE value, int pe)
#define ATOLL_SHMEM_OVERLOADS_BITWISE_OP(OP, T, TYPE)                                \
  ATOLL_SHMEM_OVERLOADS(TYPE, atomic_fetch_##OP, T, (dest, value, pe),               \
                        TYPE* dest, TYPE value, int pe)                              \
  ATOLL_SHMEM_OVERLOADS(void, atomic_##OP, T, (dest, value, pe), TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_OVERLOADS(void, atomic_fetch_##OP##_nbi, T, (fetch, dest, value, pe),  \
                        TYPE* fetch, TYPE* dest, TYPE value, int pe)
#define ATOLL_SHMEM_OVERLOADS_BITWISE(P, T, TYPE)                                    \
  ATOLL_SHMEM_OVERLOADS_BITWISE_OP(and, T, TYPE)                                     \
  ATOLL_SHMEM_OVERLOADS_BITWISE_OP(or, T, TYPE)                                      \
  ATOLL_SHMEM_OVERLOADS_BITWISE_OP(xor, T, TYPE)

#define ATOLL_SHMEM_OVERLOADS_OLD_AMO(P, T, TYPE)                                    \
  ATOLL_SHMEM_OVERLOAD(TYPE, cswap, T, (dest, cond, value, pe),                      \
                       TYPE* dest, TYPE cond, TYPE value, int pe)                    \
  ATOLL_SHMEM_OVERLOAD(TYPE, finc, T, (dest, pe), TYPE* dest, int pe)                \
  ATOLL_SHMEM_OVERLOAD(void, inc, T, (dest, pe), TYPE* dest, int pe)                 \
  ATOLL_SHMEM_OVERLOAD(TYPE, fadd, T, (dest, value, pe), TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_OVERLOAD(void, add, T, (dest, value, pe), TYPE* dest, TYPE value, int pe)
#define ATOLL_SHMEM_OVERLOADS_OLD_AMO_EXTENDED(P, T, TYPE)                           \
  ATOLL_SHMEM_OVERLOAD(TYPE, fetch, T, (source, pe), const TYPE* source, int pe)     \
  ATOLL_SHMEM_OVERLOAD(void, set, T, (dest, value, pe), TYPE* dest, TYPE value, int pe) \
  ATOLL_SHMEM_OVERLOAD(TYPE, swap, T, (dest, value, pe), TYPE* dest, TYPE value, int pe)

/* shmem_wait_until of a long is a function of the interface already, deprecated. */
#define ATOLL_SHMEM_OVERLOADS_TEST(P, T, TYPE)                                       \
  ATOLL_SHMEM_OVERLOAD(int, test, T, (ivar, cmp, cmp_value),                         \
                       volatile TYPE* ivar, int cmp, TYPE cmp_value)
#define ATOLL_SHMEM_OVERLOADS_WAIT(P, T, TYPE)                                       \
  ATOLL_SHMEM_OVERLOAD(void, wait_until, T, (ivar, cmp, cmp_value),                  \
                       volatile TYPE* ivar, int cmp, TYPE cmp_value)
#define ATOLL_SHMEM_OVERLOADS_SETS(P, T, TYPE)                                       \
  ATOLL_SHMEM_OVERLOADS_SET(T, TYPE, , TYPE cmp_value, cmp_value)                    \
  ATOLL_SHMEM_OVERLOADS_SET(T, TYPE, _vector, const TYPE* cmp_values, cmp_values)
#define ATOLL_SHMEM_OVERLOADS_SET(T, TYPE, VECTOR, PARAMETER, VALUE)                 \
  ATOLL_SHMEM_OVERLOAD(void, wait_until_all##VECTOR, T, (ivars, nelems, status, cmp, VALUE), \
                       volatile TYPE* ivars, size_t nelems, const int* status, int cmp, PARAMETER) \
  ATOLL_SHMEM_OVERLOAD(size_t, wait_until_any##VECTOR, T, (ivars, nelems, status, cmp, VALUE), \
                       volatile TYPE* ivars, size_t nelems, const int* status, int cmp, PARAMETER) \
  ATOLL_SHMEM_OVERLOAD(size_t, wait_until_some##VECTOR, T,                           \
                       (ivars, nelems, indices, status, cmp, VALUE), volatile TYPE* ivars, \
                       size_t nelems, size_t* indices, const int* status, int cmp, PARAMETER) \
  ATOLL_SHMEM_OVERLOAD(int, test_all##VECTOR, T, (ivars, nelems, status, cmp, VALUE), \
                       volatile TYPE* ivars, size_t nelems, const int* status, int cmp, PARAMETER) \
  ATOLL_SHMEM_OVERLOAD(size_t, test_any##VECTOR, T, (ivars, nelems, status, cmp, VALUE), \
                       volatile TYPE* ivars, size_t nelems, const int* status, int cmp, PARAMETER) \
  ATOLL_SHMEM_OVERLOAD(size_t, test_some##VECTOR, T,                                 \
                       (ivars, nelems, indices, status, cmp, VALUE), volatile TYPE* ivars, \
                       size_t nelems, size_t* indices, const int* status, int cmp, PARAMETER)

ATOLL_SHMEM_RMA_DISTINCT(ATOLL_SHMEM_OVERLOADS_RMA, )
ATOLL_SHMEM_REDUCE_BITS_DISTINCT(ATOLL_SHMEM_OVERLOADS_REDUCE_BITS, )
ATOLL_SHMEM_REDUCE_SUM_DISTINCT(ATOLL_SHMEM_OVERLOADS_REDUCE_SUM, )
ATOLL_SHMEM_AMO_EXTENDED_DISTINCT(ATOLL_SHMEM_OVERLOADS_AMO_EXTENDED, )
ATOLL_SHMEM_AMO_DISTINCT(ATOLL_SHMEM_OVERLOADS_AMO, )
ATOLL_SHMEM_BITWISE_DISTINCT(ATOLL_SHMEM_OVERLOADS_BITWISE, )
ATOLL_SHMEM_AMO_DISTINCT(ATOLL_SHMEM_OVERLOADS_OLD_AMO, )
ATOLL_SHMEM_AMO_EXTENDED_DISTINCT(ATOLL_SHMEM_OVERLOADS_OLD_AMO_EXTENDED, )
ATOLL_SHMEM_WAIT_DISTINCT(ATOLL_SHMEM_OVERLOADS_TEST, )
ATOLL_SHMEM_WAIT_DISTINCT(ATOLL_SHMEM_OVERLOADS_SETS, )
ATOLL_SHMEM_OVERLOADS_WAIT(, int, int)
ATOLL_SHMEM_OVERLOADS_WAIT(, longlong, long long)
ATOLL_SHMEM_OVERLOADS_WAIT(, uint, unsigned int)
ATOLL_SHMEM_OVERLOADS_WAIT(, ulong, unsigned long)
ATOLL_SHMEM_OVERLOADS_WAIT(, ulonglong, unsigned long long)
ATOLL_SHMEM_SHORT(ATOLL_SHMEM_OVERLOADS_WAIT, )

/* clang-format on */

inline void shmem_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
  shmem_ctx_signal_add(ctx, sig_addr, signal, pe);
}
inline void shmem_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe) {
  shmem_ctx_signal_set(ctx, sig_addr, signal, pe);
}
inline int shmem_sync(shmem_team_t team) { return shmem_team_sync(team); }

} /* extern "C++" */

#endif

#endif
