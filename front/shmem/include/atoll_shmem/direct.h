/* SPDX-License-Identifier: BSD-3-Clause

   Functions that are compiled into programs: puts and gets of single values, puts and gets of a few
   elements known when compiling, and the atomics of the standard AMO types and of the bitwise
   types. A symmetric address lies in the data of the program or in the symmetric heap. Its offset
   there, and the row of the PE (atoll_shmem/table.h), give an address in this process: after two
   comparisons, which check the PE and the bounds, a put is a store. Where the address is a
   variable's, and is not seen to be one, there are three.

   Everything that inline code cannot do goes to the library's function of the same name: other
   hosts, addresses that are not symmetric, and all calls where the table says that there are no
   PEs, which it does before initialization and while a tool replaces one of these functions. A
   compiler that does not inline calls the library's function as well, because gnu_inline never
   makes a function of its own.

   Order: a direct access is complete when it is done. The order of stores is the processor's.

   Where PEs share cores, calls that fetch go to the library too, which recognizes a program that
   waits in a loop of fetches, and yields the core to another PE.

   Code that changes the memory of a PE here wakes the PE if it sleeps in a wait. That costs a load
   of a word that changes only when the PE goes to sleep. */
#ifndef ATOLL_SHMEM_DIRECT_H
#define ATOLL_SHMEM_DIRECT_H

#include <atoll_shmem/prototypes.h>
#include <atoll_shmem/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the compiler sees which object the address lies in. Such an object is a variable, and no
   block of the heap. The compiler sees it once it has inlined, but not for an element of an array
   whose index it does not know. */
#define ATOLL_SHMEM_IS_VARIABLE(address) \
  (__builtin_object_size((const void*)(uintptr_t)(address), 0) != (size_t)-1)

/* The row of a PE of the world; null where all calls go to the library. For calls that fetch it is
   null also where PEs share cores. */
ATOLL_SHMEM_ALWAYS const struct atoll_shmem_row* atoll_shmem_row_below(unsigned pes, int pe) {
  const struct atoll_shmem_row* row;
  if ((unsigned)pe >= pes) return NULL;
  row = atoll_shmem_direct.rows + (unsigned)pe;
  if (row == NULL) __builtin_unreachable(); /* so that the next test costs nothing */
  return row;
}
ATOLL_SHMEM_ALWAYS const struct atoll_shmem_row* atoll_shmem_row_of(int pe) {
  return atoll_shmem_row_below(atoll_shmem_direct.pes, pe);
}
ATOLL_SHMEM_ALWAYS const struct atoll_shmem_row* atoll_shmem_row_to_fetch(int pe) {
  return atoll_shmem_row_below(atoll_shmem_direct.fetched_pes, pe);
}

/* The world's number of a PE of the context's team, and its row. */
ATOLL_SHMEM_ALWAYS int atoll_shmem_world_pe(shmem_ctx_t ctx, int pe) {
  return ctx->first + ctx->stride * pe;
}
ATOLL_SHMEM_ALWAYS const struct atoll_shmem_row* atoll_shmem_row_of_in(shmem_ctx_t ctx, int pe) {
  if (ctx == SHMEM_CTX_INVALID || (unsigned)pe >= (unsigned)ctx->size) return NULL;
  return atoll_shmem_row_of(atoll_shmem_world_pe(ctx, pe));
}
ATOLL_SHMEM_ALWAYS const struct atoll_shmem_row* atoll_shmem_row_to_fetch_in(shmem_ctx_t ctx,
                                                                             int pe) {
  if (ctx == SHMEM_CTX_INVALID || (unsigned)pe >= (unsigned)ctx->size) return NULL;
  return atoll_shmem_row_to_fetch(atoll_shmem_world_pe(ctx, pe));
}

/* Whether `bytes` bytes at the offset lie in a part. Their number is known when compiling. */
ATOLL_SHMEM_ALWAYS int atoll_shmem_lie_in(size_t places, uintptr_t offset, size_t bytes) {
  const size_t beyond_word = bytes > 8 ? bytes - 8 : 0;
  return offset < places - beyond_word && places >= beyond_word;
}

/* The address in this process of `bytes` bytes at the symmetric address in the row's PE; null where
   inline code cannot tell. The program's data lie outside of the heap's addresses. */
ATOLL_SHMEM_ALWAYS char* atoll_shmem_find(const struct atoll_shmem_row* row,
                                          const volatile void* address, size_t bytes) {
  uintptr_t offset = (uintptr_t)address - atoll_shmem_direct.heap;
  char* found;
  if (row == NULL) return NULL;
  if (!ATOLL_SHMEM_IS_VARIABLE(address) && atoll_shmem_lie_in(row->heap_places, offset, bytes)) {
    found = row->heap + offset;
  } else {
    offset = (uintptr_t)address - atoll_shmem_direct.data;
    if (!atoll_shmem_lie_in(row->data_places, offset, bytes)) return NULL;
    found = row->data + offset;
  }
  if (found == NULL) __builtin_unreachable(); /* as above */
  return found;
}

ATOLL_SHMEM_ALWAYS void atoll_shmem_move(void* to, const void* from, size_t bytes) {
  ATOLL_ORDER();
  memcpy(to, from, bytes);
  ATOLL_ORDER();
}

/* ---- functions of the interface -------------------------------------------------------------- */

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
    const struct atoll_shmem_row* const row = atoll_shmem_row_of##IN(CALL pe);       \
    char* const direct = atoll_shmem_find(row, dest, sizeof value);                  \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      atoll_shmem_move(direct, &value, sizeof value);                                \
      atoll_shmem_changed(row);                                                      \
    } else {                                                                         \
      atoll_shmem_library_##FORM##T##_p(CALL dest, value, pe);                       \
    })                                                                               \
  ATOLL_SHMEM_INLINE(TYPE, FORM##T##_g, (WITH const TYPE* source, int pe),           \
    const char* const direct =                                                       \
        atoll_shmem_find(atoll_shmem_row_to_fetch##IN(CALL pe), source, sizeof *source); \
    TYPE value;                                                                      \
    if (!ATOLL_LIKELY(direct != NULL)) {                                             \
      return atoll_shmem_library_##FORM##T##_g(CALL source, pe);                     \
    }                                                                                \
    atoll_shmem_move(&value, direct, sizeof value);                                  \
    return value;)                                                                   \
  ATOLL_SHMEM_INLINE(void, FORM##T##_put,                                            \
                     (WITH TYPE* dest, const TYPE* source, size_t nelems, int pe),   \
    const struct atoll_shmem_row* const row =                                        \
        ATOLL_SHMEM_FEW(nelems, TYPE) ? atoll_shmem_row_of##IN(CALL pe) : NULL;      \
    char* const direct = atoll_shmem_find(row, dest, nelems * sizeof *dest);         \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      atoll_shmem_move(direct, source, nelems * sizeof *dest);                       \
      atoll_shmem_changed(row);                                                      \
    } else {                                                                         \
      atoll_shmem_library_##FORM##T##_put(CALL dest, source, nelems, pe);            \
    })                                                                               \
  ATOLL_SHMEM_INLINE(void, FORM##T##_get,                                            \
                     (WITH TYPE* dest, const TYPE* source, size_t nelems, int pe),   \
    const struct atoll_shmem_row* const row =                                        \
        ATOLL_SHMEM_FEW(nelems, TYPE) ? atoll_shmem_row_to_fetch##IN(CALL pe) : NULL; \
    const char* const direct = atoll_shmem_find(row, source, nelems * sizeof *dest); \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      atoll_shmem_move(dest, direct, nelems * sizeof *dest);                         \
    } else {                                                                         \
      atoll_shmem_library_##FORM##T##_get(CALL dest, source, nelems, pe);            \
    })

/* The same copies by the size of an element, 1 for `mem`. */
#define ATOLL_SHMEM_INLINE_SIZED(FORM, IN, WITH, CALL, SIZE, TYPE)                   \
  ATOLL_SHMEM_INLINE(void, FORM##put##SIZE,                                          \
                     (WITH void* dest, const void* source, size_t nelems, int pe),   \
    const struct atoll_shmem_row* const row =                                        \
        ATOLL_SHMEM_FEW(nelems, TYPE) ? atoll_shmem_row_of##IN(CALL pe) : NULL;      \
    char* const direct = atoll_shmem_find(row, dest, nelems * sizeof(TYPE));         \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      atoll_shmem_move(direct, source, nelems * sizeof(TYPE));                       \
      atoll_shmem_changed(row);                                                      \
    } else {                                                                         \
      atoll_shmem_library_##FORM##put##SIZE(CALL dest, source, nelems, pe);          \
    })                                                                               \
  ATOLL_SHMEM_INLINE(void, FORM##get##SIZE,                                          \
                     (WITH void* dest, const void* source, size_t nelems, int pe),   \
    const struct atoll_shmem_row* const row =                                        \
        ATOLL_SHMEM_FEW(nelems, TYPE) ? atoll_shmem_row_to_fetch##IN(CALL pe) : NULL; \
    const char* const direct = atoll_shmem_find(row, source, nelems * sizeof(TYPE)); \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      atoll_shmem_move(dest, direct, nelems * sizeof(TYPE));                         \
    } else {                                                                         \
      atoll_shmem_library_##FORM##get##SIZE(CALL dest, source, nelems, pe);          \
    })

/* An atomic operation that changes the object `dest`, with a result and without. TARGET are the
   arguments that name its PE. */
#define ATOLL_SHMEM_INLINE_FETCHING(NAME, IN, TARGET, TYPE, PARAMETERS, ARGUMENTS, PERFORM) \
  ATOLL_SHMEM_INLINE(TYPE, NAME, PARAMETERS,                                         \
    const struct atoll_shmem_row* const row = atoll_shmem_row_to_fetch##IN TARGET;   \
    TYPE* const direct = (TYPE*)(uintptr_t)atoll_shmem_find(row, dest, sizeof *dest); \
    if (!ATOLL_LIKELY(direct != NULL)) return atoll_shmem_library_##NAME ARGUMENTS;  \
    const TYPE before = PERFORM;                                                     \
    atoll_shmem_changed(row);                                                        \
    return before;)
#define ATOLL_SHMEM_INLINE_PLAIN(NAME, IN, TARGET, TYPE, PARAMETERS, ARGUMENTS, PERFORM) \
  ATOLL_SHMEM_INLINE(void, NAME, PARAMETERS,                                         \
    const struct atoll_shmem_row* const row = atoll_shmem_row_of##IN TARGET;         \
    TYPE* const direct = (TYPE*)(uintptr_t)atoll_shmem_find(row, dest, sizeof *dest); \
    if (ATOLL_LIKELY(direct != NULL)) {                                              \
      PERFORM;                                                                       \
      atoll_shmem_changed(row);                                                      \
    } else {                                                                         \
      atoll_shmem_library_##NAME ARGUMENTS;                                          \
    })

#define ATOLL_SHMEM_INLINE_AMO(FORM, IN, WITH, CALL, T, TYPE)                        \
  ATOLL_SHMEM_INLINE(TYPE, FORM##T##_atomic_fetch, (WITH const TYPE* source, int pe), \
    const TYPE* const direct =                                                       \
        (const TYPE*)(uintptr_t)atoll_shmem_find(atoll_shmem_row_to_fetch##IN(CALL pe), source, \
                                                 sizeof *source);                    \
    if (!ATOLL_LIKELY(direct != NULL)) {                                             \
      return atoll_shmem_library_##FORM##T##_atomic_fetch(CALL source, pe);          \
    }                                                                                \
    return __atomic_load_n(direct, __ATOMIC_ACQUIRE);)                               \
  ATOLL_SHMEM_INLINE_PLAIN(FORM##T##_atomic_set, IN, (CALL pe), TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe),                   \
    __atomic_store_n(direct, value, __ATOMIC_RELEASE))                               \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_swap, IN, (CALL pe), TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe),                   \
    __atomic_exchange_n(direct, value, __ATOMIC_ACQ_REL))                            \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_compare_swap, IN, (CALL pe), TYPE, \
    (WITH TYPE* dest, TYPE cond, TYPE value, int pe), (CALL dest, cond, value, pe),  \
    ((void)__atomic_compare_exchange_n(direct, &cond, value, 0, __ATOMIC_ACQ_REL,    \
                                       __ATOMIC_ACQUIRE), cond))                     \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_fetch_add, IN, (CALL pe), TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe),                   \
    __atomic_fetch_add(direct, value, __ATOMIC_ACQ_REL))                             \
  ATOLL_SHMEM_INLINE_PLAIN(FORM##T##_atomic_add, IN, (CALL pe), TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe),                   \
    (void)__atomic_fetch_add(direct, value, __ATOMIC_ACQ_REL))                       \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_fetch_inc, IN, (CALL pe), TYPE, \
    (WITH TYPE* dest, int pe), (CALL dest, pe),                                      \
    __atomic_fetch_add(direct, 1, __ATOMIC_ACQ_REL))                                 \
  ATOLL_SHMEM_INLINE_PLAIN(FORM##T##_atomic_inc, IN, (CALL pe), TYPE, \
    (WITH TYPE* dest, int pe), (CALL dest, pe),                                      \
    (void)__atomic_fetch_add(direct, 1, __ATOMIC_ACQ_REL))

#define ATOLL_SHMEM_INLINE_BITWISE_OP(FORM, OP, IN, TARGET, T, TYPE, PARAMETERS, ARGUMENTS) \
  ATOLL_SHMEM_INLINE_FETCHING(FORM##T##_atomic_fetch_##OP, IN, TARGET, TYPE, PARAMETERS, ARGUMENTS, \
    __atomic_fetch_##OP(direct, value, __ATOMIC_ACQ_REL))                            \
  ATOLL_SHMEM_INLINE_PLAIN(FORM##T##_atomic_##OP, IN, TARGET, TYPE, PARAMETERS, ARGUMENTS, \
    (void)__atomic_fetch_##OP(direct, value, __ATOMIC_ACQ_REL))
#define ATOLL_SHMEM_INLINE_BITWISE(FORM, IN, WITH, CALL, T, TYPE)                    \
  ATOLL_SHMEM_INLINE_BITWISE_OP(FORM, and, IN, (CALL pe), T, TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe))                   \
  ATOLL_SHMEM_INLINE_BITWISE_OP(FORM, or, IN, (CALL pe), T, TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe))                   \
  ATOLL_SHMEM_INLINE_BITWISE_OP(FORM, xor, IN, (CALL pe), T, TYPE, \
    (WITH TYPE* dest, TYPE value, int pe), (CALL dest, value, pe))

/* Both forms, for a list of types. */
#define ATOLL_SHMEM_INLINE_CONTEXT shmem_ctx_t ctx,
#define ATOLL_SHMEM_INLINE_ARGUMENT ctx,
#define ATOLL_SHMEM_INLINE_FORMS(DEFINE, T, TYPE)                                    \
  DEFINE(, , , , T, TYPE)                                                            \
  DEFINE(ctx_, _in, ATOLL_SHMEM_INLINE_CONTEXT, ATOLL_SHMEM_INLINE_ARGUMENT, T, TYPE)

ATOLL_SHMEM_RMA(ATOLL_SHMEM_INLINE_FORMS, ATOLL_SHMEM_INLINE_RMA)
ATOLL_SHMEM_INLINE_FORMS(ATOLL_SHMEM_INLINE_SIZED, mem, char)
ATOLL_SHMEM_INLINE_FORMS(ATOLL_SHMEM_INLINE_SIZED, 8, char)
ATOLL_SHMEM_INLINE_FORMS(ATOLL_SHMEM_INLINE_SIZED, 16, char[2])
ATOLL_SHMEM_INLINE_FORMS(ATOLL_SHMEM_INLINE_SIZED, 32, char[4])
ATOLL_SHMEM_INLINE_FORMS(ATOLL_SHMEM_INLINE_SIZED, 64, char[8])
ATOLL_SHMEM_INLINE_FORMS(ATOLL_SHMEM_INLINE_SIZED, 128, char[16])
ATOLL_SHMEM_AMO(ATOLL_SHMEM_INLINE_FORMS, ATOLL_SHMEM_INLINE_AMO)
ATOLL_SHMEM_BITWISE(ATOLL_SHMEM_INLINE_FORMS, ATOLL_SHMEM_INLINE_BITWISE)

/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
