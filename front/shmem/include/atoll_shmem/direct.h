/* SPDX-License-Identifier: BSD-3-Clause

   Functions that are compiled into programs: puts and gets of single values, puts and gets of a few
   elements known when compiling, and the atomics of the standard AMO types and of the bitwise
   types. A symmetric address lies in the data of the program or in the symmetric heap. Its offset
   there, and the route to the PE's part (atoll/abi.h), give an address in this process: after three
   comparisons, which check the range, the PE and the bounds, a put is a store. Where the address is
   seen to be a variable's there are two.

   Everything that inline code cannot do goes to the library's function of the same name: other
   hosts, addresses that are not symmetric, and all calls where the table says that there are no
   PEs, which it does before initialization and while a tool replaces one of these functions. A
   compiler that does not inline calls the library's function as well, because gnu_inline never
   makes a function of its own.

   Order: a direct access is complete when it is done. The order of stores is the processor's.

   Where PEs share cores, calls that fetch go to the library, too: it finds out when a program polls
   by them, and gives the core to another PE.

   A PE that sleeps in a wait is woken by whoever changes its memory here; it costs a load, of a
   word that changes only when the PE goes to sleep. */
#ifndef ATOLL_SHMEM_DIRECT_H
#define ATOLL_SHMEM_DIRECT_H

#include <atoll_shmem/prototypes.h>
#include <atoll_shmem/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the compiler sees which object the address lies in: then that is a variable, and no block
   of the heap. The compiler sees it once it has inlined, and not for an element of an array whose
   index it does not know. */
#define ATOLL_SHMEM_IS_VARIABLE(address) \
  (__builtin_object_size((const void*)(uintptr_t)(address), 0) != (size_t)-1)

/* Where `bytes` bytes at the symmetric address are for this process in the part of `pe`, a PE of
   the world; null where inline code cannot tell, also where `fetches` and PEs share cores. The
   parts of the data are of one size on all PEs that run this program, so the route's bounds tell as
   well whether the address is in the data. */
ATOLL_SHMEM_ALWAYS char* atoll_shmem_find_for(int fetches, const volatile void* address,
                                              size_t bytes, int pe) {
  const struct atoll_shmem_table* const table = &atoll_shmem_direct;
  const size_t beyond_word = bytes > 8 ? bytes - 8 : 0; /* known when compiling */
  const struct atoll_shmem_range* range = &table->heap;
  uintptr_t offset = (uintptr_t)address - range->base;
  const atoll_route* route;
  char* found;
  if (ATOLL_SHMEM_IS_VARIABLE(address) || offset >= range->bytes) {
    range = &table->data;
    offset = (uintptr_t)address - range->base;
  }
  if ((unsigned)pe >= (fetches ? table->fetched_pes : table->pes)) return NULL;
  route = range->routes + pe;
  /* As atoll_route_reaches, which is static in C, so that this function may not call it. */
  if (offset >= route->word_places - beyond_word || route->word_places < beyond_word) return NULL;
  found = route->local + offset;
  if (found == NULL) __builtin_unreachable(); /* so that the caller's test costs nothing */
  return found;
}
ATOLL_SHMEM_ALWAYS char* atoll_shmem_find(const volatile void* address, size_t bytes, int pe) {
  return atoll_shmem_find_for(0, address, bytes, pe);
}
/* The same for an object that is fetched. */
ATOLL_SHMEM_ALWAYS char* atoll_shmem_find_fetched(const volatile void* address, size_t bytes,
                                                  int pe) {
  return atoll_shmem_find_for(1, address, bytes, pe);
}

/* The world's number of a PE of the context's team. */
ATOLL_SHMEM_ALWAYS int atoll_shmem_world_pe(shmem_ctx_t ctx, int pe) {
  return ctx->first + ctx->stride * pe;
}

/* The same as both for a PE of a context's team. */
ATOLL_SHMEM_ALWAYS char* atoll_shmem_find_in(shmem_ctx_t ctx, const volatile void* address,
                                             size_t bytes, int pe) {
  if (ctx == SHMEM_CTX_INVALID || (unsigned)pe >= (unsigned)ctx->size) return NULL;
  return atoll_shmem_find(address, bytes, atoll_shmem_world_pe(ctx, pe));
}
ATOLL_SHMEM_ALWAYS char* atoll_shmem_find_fetched_in(shmem_ctx_t ctx, const volatile void* address,
                                                     size_t bytes, int pe) {
  if (ctx == SHMEM_CTX_INVALID || (unsigned)pe >= (unsigned)ctx->size) return NULL;
  return atoll_shmem_find_fetched(address, bytes, atoll_shmem_world_pe(ctx, pe));
}

/* The same as atoll_shmem_changed for a PE of a context's team. */
ATOLL_SHMEM_ALWAYS void atoll_shmem_changed_in(shmem_ctx_t ctx, int pe) {
  atoll_shmem_changed(atoll_shmem_world_pe(ctx, pe));
}

ATOLL_SHMEM_ALWAYS void atoll_shmem_move(void* to, const void* from, size_t bytes) {
  ATOLL_ORDER();
  memcpy(to, from, bytes);
  ATOLL_ORDER();
}

/* ---- functions of the interface ----------------------------------------------------------------
 */

/* clang-format off */

/* An inline function, and the name by which it calls the library's function of the same name. To
   clang such a call is a recursion, which it does not inline; there the library has a pointer. */
#if defined(__clang__)
#define ATOLL_SHMEM_LIBRARY(RESULT, NAME, PARAMETERS)                                \
  extern RESULT(*const atoll_shmem_library_##NAME) PARAMETERS;
#else
#define ATOLL_SHMEM_LIBRARY(RESULT, NAME, PARAMETERS)                                \
  RESULT atoll_shmem_library_##NAME PARAMETERS __asm__("shmem_" #NAME);
#endif
#define ATOLL_SHMEM_INLINE(RESULT, NAME, PARAMETERS, ...)                            \
  ATOLL_SHMEM_LIBRARY(RESULT, NAME, PARAMETERS)                                      \
  extern inline __attribute__((gnu_inline)) RESULT shmem_##NAME PARAMETERS { __VA_ARGS__ }

/* Elements that inline code copies: a number known when compiling, and not many. */
#define ATOLL_SHMEM_FEW(nelems, TYPE)                                                \
  (__builtin_constant_p(nelems) && (nelems) - 1 < 64 / sizeof(TYPE))

/* Each function has two forms. FORM is empty or ctx_, IN is empty or _in, WITH and CALL are the
   parameter and the argument of a context. */
#define ATOLL_SHMEM_INLINE_RMA(FORM, IN, WITH, CALL, T, TYPE)                        \
  ATOLL_SHMEM_INLINE(void, FORM##T##_p, (WITH TYPE* dest, TYPE value, int pe),       \
    char* const direct = atoll_shmem_find##IN(CALL dest, sizeof value, pe);          \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      atoll_shmem_move(direct, &value, sizeof value);                                \
      atoll_shmem_changed##IN(CALL pe);                                              \
    } else {                                                                         \
      atoll_shmem_library_##FORM##T##_p(CALL dest, value, pe);                       \
    })                                                                               \
  ATOLL_SHMEM_INLINE(TYPE, FORM##T##_g, (WITH const TYPE* source, int pe),           \
    const char* const direct = atoll_shmem_find_fetched##IN(CALL source, sizeof *source, pe); \
    TYPE value;                                                                      \
    if (!ATOLL_LIKELY(direct != NULL)) {                                             \
      return atoll_shmem_library_##FORM##T##_g(CALL source, pe);                     \
    }                                                                                \
    atoll_shmem_move(&value, direct, sizeof value);                                  \
    return value;)                                                                   \
  ATOLL_SHMEM_INLINE(void, FORM##T##_put,                                            \
                     (WITH TYPE* dest, const TYPE* source, size_t nelems, int pe),   \
    char* const direct =                                                             \
        ATOLL_SHMEM_FEW(nelems, TYPE) ? atoll_shmem_find##IN(CALL dest, nelems * sizeof *dest, pe) : NULL; \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      atoll_shmem_move(direct, source, nelems * sizeof *dest);                       \
      atoll_shmem_changed##IN(CALL pe);                                              \
    } else {                                                                         \
      atoll_shmem_library_##FORM##T##_put(CALL dest, source, nelems, pe);            \
    })                                                                               \
  ATOLL_SHMEM_INLINE(void, FORM##T##_get,                                            \
                     (WITH TYPE* dest, const TYPE* source, size_t nelems, int pe),   \
    const char* const direct =                                                       \
        ATOLL_SHMEM_FEW(nelems, TYPE) ? atoll_shmem_find_fetched##IN(CALL source, nelems * sizeof *dest, pe) : NULL; \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      atoll_shmem_move(dest, direct, nelems * sizeof *dest);                         \
    } else {                                                                         \
      atoll_shmem_library_##FORM##T##_get(CALL dest, source, nelems, pe);            \
    })

/* An atomic operation that changes the object, with a result and without. PLACE are the
   arguments with which the object is found, TARGET those that name its PE. */
#define ATOLL_SHMEM_INLINE_FETCHING(NAME, IN, TARGET, PLACE, TYPE, PARAMETERS, ARGUMENTS, PERFORM) \
  ATOLL_SHMEM_INLINE(TYPE, NAME, PARAMETERS,                                         \
    TYPE* const direct = (TYPE*)(uintptr_t)atoll_shmem_find_fetched##IN PLACE;       \
    if (!ATOLL_LIKELY(direct != NULL)) return atoll_shmem_library_##NAME ARGUMENTS;  \
    const TYPE before = PERFORM;                                                     \
    atoll_shmem_changed##IN TARGET;                                                  \
    return before;)
#define ATOLL_SHMEM_INLINE_PLAIN(NAME, IN, TARGET, PLACE, TYPE, PARAMETERS, ARGUMENTS, PERFORM) \
  ATOLL_SHMEM_INLINE(void, NAME, PARAMETERS,                                         \
    TYPE* const direct = (TYPE*)(uintptr_t)atoll_shmem_find##IN PLACE;               \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      PERFORM;                                                                       \
      atoll_shmem_changed##IN TARGET;                                                \
    } else {                                                                         \
      atoll_shmem_library_##NAME ARGUMENTS;                                          \
    })

#define ATOLL_SHMEM_INLINE_AMO(FORM, IN, WITH, CALL, T, TYPE)                        \
  ATOLL_SHMEM_INLINE(TYPE, FORM##T##_atomic_fetch, (WITH const TYPE* source, int pe), \
    const TYPE* const direct =                                                       \
        (const TYPE*)(uintptr_t)atoll_shmem_find_fetched##IN(CALL source, sizeof *source, pe); \
    if (!ATOLL_LIKELY(direct != NULL)) {                                             \
      return atoll_shmem_library_##FORM##T##_atomic_fetch(CALL source, pe);          \
    }                                                                                \
    return __atomic_load_n(direct, __ATOMIC_ACQUIRE);)                               \
  ATOLL_SHMEM_INLINE_PLAIN(FORM##T##_atomic_set, IN, (CALL pe), (CALL dest, sizeof *dest, pe), TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe),                   \
    __atomic_store_n(direct, value, __ATOMIC_RELEASE))                               \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_swap, IN, (CALL pe), (CALL dest, sizeof *dest, pe), TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe),                   \
    __atomic_exchange_n(direct, value, __ATOMIC_ACQ_REL))                            \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_compare_swap, IN, (CALL pe),          \
                              (CALL dest, sizeof *dest, pe), TYPE,                   \
    (WITH TYPE* dest, TYPE cond, TYPE value, int pe), (CALL dest, cond, value, pe),  \
    ((void)__atomic_compare_exchange_n(direct, &cond, value, 0, __ATOMIC_ACQ_REL,    \
                                       __ATOMIC_ACQUIRE), cond))                     \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_fetch_add, IN, (CALL pe), (CALL dest, sizeof *dest, pe), TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe),                   \
    __atomic_fetch_add(direct, value, __ATOMIC_ACQ_REL))                             \
  ATOLL_SHMEM_INLINE_PLAIN(FORM##T##_atomic_add, IN, (CALL pe), (CALL dest, sizeof *dest, pe), TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe),                   \
    (void)__atomic_fetch_add(direct, value, __ATOMIC_ACQ_REL))                       \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_fetch_inc, IN, (CALL pe), (CALL dest, sizeof *dest, pe), TYPE, \
    (WITH TYPE* dest, int pe), (CALL dest, pe),                                      \
    __atomic_fetch_add(direct, 1, __ATOMIC_ACQ_REL))                                 \
  ATOLL_SHMEM_INLINE_PLAIN(FORM##T##_atomic_inc, IN, (CALL pe), (CALL dest, sizeof *dest, pe), TYPE, \
    (WITH TYPE* dest, int pe), (CALL dest, pe),                                      \
    (void)__atomic_fetch_add(direct, 1, __ATOMIC_ACQ_REL))

#define ATOLL_SHMEM_INLINE_BITWISE_OP(FORM, OP, IN, TARGET, PLACE, T, TYPE, PARAMETERS, ARGUMENTS) \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_fetch_##OP, IN, TARGET, PLACE, TYPE, PARAMETERS, ARGUMENTS, \
    __atomic_fetch_##OP(direct, value, __ATOMIC_ACQ_REL))                            \
  ATOLL_SHMEM_INLINE_PLAIN(FORM##T##_atomic_##OP, IN, TARGET, PLACE, TYPE, PARAMETERS, ARGUMENTS, \
    (void)__atomic_fetch_##OP(direct, value, __ATOMIC_ACQ_REL))
#define ATOLL_SHMEM_INLINE_BITWISE(FORM, IN, WITH, CALL, T, TYPE)                    \
  ATOLL_SHMEM_INLINE_BITWISE_OP(FORM, and, IN, (CALL pe), (CALL dest, sizeof *dest, pe), T, TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe))                   \
  ATOLL_SHMEM_INLINE_BITWISE_OP(FORM, or, IN, (CALL pe), (CALL dest, sizeof *dest, pe), T, TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe))                   \
  ATOLL_SHMEM_INLINE_BITWISE_OP(FORM, xor, IN, (CALL pe), (CALL dest, sizeof *dest, pe), T, TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe))

/* Both forms, for a list of types. */
#define ATOLL_SHMEM_INLINE_CONTEXT shmem_ctx_t ctx,
#define ATOLL_SHMEM_INLINE_ARGUMENT ctx,
#define ATOLL_SHMEM_INLINE_FORMS(DEFINE, T, TYPE)                                    \
  DEFINE(, , , , T, TYPE)                                                            \
  DEFINE(ctx_, _in, ATOLL_SHMEM_INLINE_CONTEXT, ATOLL_SHMEM_INLINE_ARGUMENT, T, TYPE)

ATOLL_SHMEM_RMA(ATOLL_SHMEM_INLINE_FORMS, ATOLL_SHMEM_INLINE_RMA)
ATOLL_SHMEM_AMO(ATOLL_SHMEM_INLINE_FORMS, ATOLL_SHMEM_INLINE_AMO)
ATOLL_SHMEM_BITWISE(ATOLL_SHMEM_INLINE_FORMS, ATOLL_SHMEM_INLINE_BITWISE)

/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
