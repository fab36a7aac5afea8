/* SPDX-License-Identifier: BSD-3-Clause

   Accesses to shared objects, as emitted C makes them (UPC language specification 1.3, 5.1.2.3 and
   appendix B). An access is a load or a store where the thread's memory is mapped in this process,
   which an entry of a table and one comparison decide; any other one goes to the library.

   A scalar of at most 16 bytes is aligned, and the table's rows count 16 bytes less than there are;
   so one comparison of its offset checks its end as well, and a null pointer, whose offset is 0, is
   below the first byte.

   Relaxed scalar accesses are volatile: a loop that waits for another thread's store sees it.
   Strict accesses are ordered with all others of the thread: before one, all that is under way is
   completed, and a processor's fence keeps earlier stores before a strict load and a strict store
   before later loads. Strict loads are counted, and now and then one makes progress and yields the
   processor, since programs spin on them.

   T is a type without qualifiers. Each argument is evaluated once. */
#ifndef ATOLL_UPC_ACCESS_H
#define ATOLL_UPC_ACCESS_H

#include <atoll/abi.h>
#include <atoll_upc/pointer.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A row per thread. word_places is the number of offsets at which the largest scalar fits, and 0
   where loads and stores do not reach the thread, or every access is to be counted. */
extern const atoll_route* const atoll_upc_routes;

/* The same for fewer instructions where all threads are reached. The bases are the addresses here
   of each thread's offset 1, the first that an object can have. The places are the smallest
   word_places of all threads, and so 0 where a thread is not reached. */
extern char* const* const atoll_upc_bases;
extern const size_t atoll_upc_places;

/* Not 0 while relaxed operations may be under way, or values of other threads are kept.
   atoll_upc_complete() completes the operations and drops the values. */
extern int atoll_upc_unordered;

/* The number of strict loads until the next call of atoll_upc_poll(). */
extern unsigned atoll_upc_strict_loads;

/* ---- the library's side: any thread, any transport ------------------------------------------- */

/* Relaxed copies between shared memory and memory of this thread, and within shared memory.
   Complete at this thread on return: a later access of this thread, also by another way, sees them.
   The value of a put that atoll_upc_hold_writes lets wait is kept here and leaves later. A null
   pointer and bytes outside of a thread's memory end the job with a message. */
void atoll_upc_get(void* to, atoll_upc_pointer from, size_t bytes);
void atoll_upc_put(atoll_upc_pointer to, const void* from, size_t bytes);
void atoll_upc_copy(atoll_upc_pointer to, atoll_upc_pointer from, size_t bytes);

/* Between a call that returns 1 and the end of the loop that follows, relaxed writes to threads of
   other hosts may wait for each other. The loop's number of iterations is known when it begins, and
   it calls nothing and waits for nothing. Returns 0 where there are no such threads. */
int atoll_upc_hold_writes(void);
void atoll_upc_send_writes(void);

/* Completes all that is under way, and drops values that were kept. */
void atoll_upc_complete(void);

/* Makes progress, and yields the processor where threads share it. */
void atoll_upc_poll(void);

/* The private address of shared memory (atoll_upc_local), with a message that names file and line
   when this thread cannot use it. */
void* atoll_upc_local_checked(atoll_upc_pointer p, const char* file, int line);

/* Ends the job, naming file and line, unless these bytes are ones that a program may access. */
void atoll_upc_check_access(atoll_upc_pointer p, size_t bytes, const char* file, int line);

/* Ends the job unless 0 <= index < count, or, where is_end_allowed, index == count; else returns
 * it. */
ptrdiff_t atoll_upc_check_index(ptrdiff_t index, ptrdiff_t count, int is_end_allowed,
                                const char* file, int line);

ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_checked(atoll_upc_pointer p, size_t bytes,
                                                     const char* file, int line) {
  atoll_upc_check_access(p, bytes, file, line);
  return p;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* The address of the bytes in this process; null where the library must serve them. */
ATOLL_UPC_INLINE char* atoll_upc_direct(atoll_upc_pointer p) {
  const uint64_t distance = p.offset - 1;
  char* found;
  if (ATOLL_LIKELY(distance < atoll_upc_places)) {
    found = atoll_upc_bases[p.thread] + distance;
  } else {
    const atoll_route* const row = atoll_upc_routes + p.thread;
    if (!ATOLL_LIKELY(p.offset - 1 < row->word_places)) return NULL;
    found = row->local + p.offset;
  }
  if (found == NULL) __builtin_unreachable(); /* so that the caller's test costs nothing */
  return found;
}
ATOLL_UPC_INLINE char* atoll_upc_direct_bytes(atoll_upc_pointer p, size_t bytes) {
  const atoll_route* const row = atoll_upc_routes + p.thread;
  char* found;
  if (bytes <= 16) return atoll_upc_direct(p);
  if (bytes > row->word_places || p.offset - 1 >= row->word_places - bytes) return NULL;
  found = row->local + p.offset;
  if (found == NULL) __builtin_unreachable();
  return found;
}

/* A cast to a private pointer: for memory of this thread, and of those whose memory is mapped
   here. Null stays null. */
ATOLL_UPC_INLINE void* atoll_upc_local(atoll_upc_pointer p) {
  return p.offset == 0 ? NULL : atoll_upc_routes[p.thread].local + p.offset;
}

/* Holds writes to the end of the block. `held` is a new name, made up by the caller. */
#define ATOLL_UPC_HOLD_WRITES(held)                             \
  const int held __attribute__((cleanup(atoll_upc_end_hold))) = \
      ATOLL_LIKELY(atoll_upc_places != 0) ? 0 : atoll_upc_hold_writes()

ATOLL_UPC_INLINE void atoll_upc_end_hold(const int* held) {
  if (!ATOLL_LIKELY(*held == 0)) atoll_upc_send_writes();
}

/* ---- order ----------------------------------------------------------------------------------- */

ATOLL_UPC_INLINE void atoll_upc_before_strict_load(void) {
  if (!ATOLL_LIKELY(atoll_upc_unordered == 0)) atoll_upc_complete();
  if (!ATOLL_LIKELY(atoll_upc_strict_loads-- != 0)) atoll_upc_poll();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/* Drops lines: values that were fetched beside the loaded one may be older than it. */
ATOLL_UPC_INLINE void atoll_upc_after_strict_load(void) {
  if (!ATOLL_LIKELY(atoll_upc_unordered == 0)) atoll_upc_complete();
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}
ATOLL_UPC_INLINE void atoll_upc_before_strict_store(void) {
  if (!ATOLL_LIKELY(atoll_upc_unordered == 0)) atoll_upc_complete();
  __atomic_thread_fence(__ATOMIC_RELEASE);
}
ATOLL_UPC_INLINE void atoll_upc_after_strict_store(void) {
  if (!ATOLL_LIKELY(atoll_upc_unordered == 0)) atoll_upc_complete();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

ATOLL_UPC_INLINE void atoll_upc_get_bytes(void* to, atoll_upc_pointer from, size_t bytes) {
  const char* const direct = bytes <= ATOLL_INLINE_MAX ? atoll_upc_direct_bytes(from, bytes) : NULL;
  if (ATOLL_LIKELY(direct != NULL)) {
    memcpy(to, direct, bytes);
  } else {
    atoll_upc_get(to, from, bytes);
  }
}
ATOLL_UPC_INLINE void atoll_upc_put_bytes(atoll_upc_pointer to, const void* from, size_t bytes) {
  char* const direct = bytes <= ATOLL_INLINE_MAX ? atoll_upc_direct_bytes(to, bytes) : NULL;
  if (ATOLL_LIKELY(direct != NULL)) {
    memcpy(direct, from, bytes);
  } else {
    atoll_upc_put(to, from, bytes);
  }
}
ATOLL_UPC_INLINE void atoll_upc_copy_bytes(atoll_upc_pointer to, atoll_upc_pointer from,
                                           size_t bytes) {
  char* const target = bytes <= ATOLL_INLINE_MAX ? atoll_upc_direct_bytes(to, bytes) : NULL;
  const char* const source = target != NULL ? atoll_upc_direct_bytes(from, bytes) : NULL;
  if (ATOLL_LIKELY(source != NULL)) {
    memmove(target, source, bytes); /* an object may be assigned to itself */
  } else {
    atoll_upc_copy(to, from, bytes);
  }
}

/* Writes the bytes of an object that `mask` selects, which are adjacent: those of a bit-field. */
ATOLL_UPC_INLINE void atoll_upc_put_masked(atoll_upc_pointer to, const void* from, const void* mask,
                                           size_t bytes) {
  const unsigned char* const bits = (const unsigned char*)mask;
  size_t first = 0;
  size_t end = bytes;
  while (first < bytes && bits[first] == 0) ++first;
  while (end > first && bits[end - 1] == 0) --end;
  to.offset += first;
  if (end > first) atoll_upc_put_bytes(to, (const char*)from + first, end - first);
}

#ifdef __cplusplus
}
#endif

/* ---- macros of emitted C --------------------------------------------------------------------- */

/* clang-format off */

#define ATOLL_UPC_NOTHING(...) ((void)0)

/* A load and a store with the ordering steps before and after it. */
#define ATOLL_UPC_LOAD_ORDERED(T, p, BEFORE, AFTER)                                  \
  __extension__({                                                                    \
    const atoll_upc_pointer atoll_upc_from = (p);                                    \
    __typeof__(T) atoll_upc_value;                                                   \
    const char* atoll_upc_memory;                                                    \
    BEFORE();                                                                        \
    atoll_upc_memory = atoll_upc_direct_bytes(atoll_upc_from, sizeof(T));            \
    if (ATOLL_LIKELY(atoll_upc_memory != NULL)) {                                    \
      atoll_upc_value = *(const volatile __typeof__(T)*)(const void*)atoll_upc_memory; \
    } else {                                                                         \
      atoll_upc_get(&atoll_upc_value, atoll_upc_from, sizeof(T));                    \
    }                                                                                \
    AFTER();                                                                         \
    atoll_upc_value;                                                                 \
  })
#define ATOLL_UPC_STORE_ORDERED(T, p, value, BEFORE, AFTER)                          \
  __extension__({                                                                    \
    const atoll_upc_pointer atoll_upc_to = (p);                                      \
    __typeof__(T) atoll_upc_value = (value);                                         \
    char* atoll_upc_memory;                                                          \
    BEFORE();                                                                        \
    atoll_upc_memory = atoll_upc_direct_bytes(atoll_upc_to, sizeof(T));              \
    if (ATOLL_LIKELY(atoll_upc_memory != NULL)) {                                    \
      *(volatile __typeof__(T)*)(void*)atoll_upc_memory = atoll_upc_value;           \
    } else {                                                                         \
      atoll_upc_put(atoll_upc_to, &atoll_upc_value, sizeof(T));                      \
    }                                                                                \
    AFTER();                                                                         \
    atoll_upc_value;                                                                 \
  })

/* The value of an lvalue; and an assignment, which yields the value that the lvalue then has. */
#define ATOLL_UPC_GET(T, p) ATOLL_UPC_LOAD_ORDERED(T, p, ATOLL_UPC_NOTHING, ATOLL_UPC_NOTHING)
#define ATOLL_UPC_GET_STRICT(T, p)                                                   \
  ATOLL_UPC_LOAD_ORDERED(T, p, atoll_upc_before_strict_load, atoll_upc_after_strict_load)
#define ATOLL_UPC_PUT(T, p, value)                                                   \
  ATOLL_UPC_STORE_ORDERED(T, p, value, ATOLL_UPC_NOTHING, ATOLL_UPC_NOTHING)
#define ATOLL_UPC_PUT_STRICT(T, p, value)                                            \
  ATOLL_UPC_STORE_ORDERED(T, p, value, atoll_upc_before_strict_store, atoll_upc_after_strict_store)

/* p op= value, which yields the new value, and p++ (op is +) or p-- (op is -), which yield the old
   one. One load and one store: no atomic operation. */
#define ATOLL_UPC_UPDATE_BY(GET, PUT, T, p, op, value)                               \
  __extension__({                                                                    \
    const atoll_upc_pointer atoll_upc_place = (p);                                   \
    __typeof__(T) atoll_upc_updated = GET(T, atoll_upc_place);                       \
    atoll_upc_updated = (__typeof__(T))(atoll_upc_updated op (value));               \
    PUT(T, atoll_upc_place, atoll_upc_updated);                                      \
  })
#define ATOLL_UPC_POST_UPDATE_BY(GET, PUT, T, p, op, value)                          \
  __extension__({                                                                    \
    const atoll_upc_pointer atoll_upc_place = (p);                                   \
    const __typeof__(T) atoll_upc_old = GET(T, atoll_upc_place);                     \
    (void)PUT(T, atoll_upc_place, (__typeof__(T))(atoll_upc_old op (value)));        \
    atoll_upc_old;                                                                   \
  })
#define ATOLL_UPC_UPDATE(T, p, op, value)                                            \
  ATOLL_UPC_UPDATE_BY(ATOLL_UPC_GET, ATOLL_UPC_PUT, T, p, op, value)
#define ATOLL_UPC_UPDATE_STRICT(T, p, op, value)                                     \
  ATOLL_UPC_UPDATE_BY(ATOLL_UPC_GET_STRICT, ATOLL_UPC_PUT_STRICT, T, p, op, value)
#define ATOLL_UPC_POST_UPDATE(T, p, op, value)                                       \
  ATOLL_UPC_POST_UPDATE_BY(ATOLL_UPC_GET, ATOLL_UPC_PUT, T, p, op, value)
#define ATOLL_UPC_POST_UPDATE_STRICT(T, p, op, value)                                \
  ATOLL_UPC_POST_UPDATE_BY(ATOLL_UPC_GET_STRICT, ATOLL_UPC_PUT_STRICT, T, p, op, value)

/* Structs and arrays: statements without a value. */
#define ATOLL_UPC_GET_BYTES(to, p, bytes) atoll_upc_get_bytes(to, p, bytes)
#define ATOLL_UPC_PUT_BYTES(p, from, bytes) atoll_upc_put_bytes(p, from, bytes)
#define ATOLL_UPC_COPY(p, q, bytes) atoll_upc_copy_bytes(p, q, bytes)
#define ATOLL_UPC_GET_BYTES_STRICT(to, p, bytes)                                     \
  (atoll_upc_before_strict_load(), atoll_upc_get_bytes(to, p, bytes),                \
   atoll_upc_after_strict_load())
#define ATOLL_UPC_PUT_BYTES_STRICT(p, from, bytes)                                   \
  (atoll_upc_before_strict_store(), atoll_upc_put_bytes(p, from, bytes),             \
   atoll_upc_after_strict_store())
#define ATOLL_UPC_COPY_STRICT(p, q, bytes)                                           \
  (atoll_upc_before_strict_load(), atoll_upc_copy_bytes(p, q, bytes),                \
   atoll_upc_after_strict_store())

/* Bit-fields of the struct S at p. The whole struct is read; only the bytes that hold the field are
   written, so another thread may meanwhile write a member that shares none of them. */
#define ATOLL_UPC_GET_FIELD_BY(GET_BYTES, S, member, p)                              \
  __extension__({                                                                    \
    __typeof__(S) atoll_upc_object;                                                  \
    GET_BYTES(&atoll_upc_object, p, sizeof(S));                                      \
    atoll_upc_object.member;                                                         \
  })
#define ATOLL_UPC_PUT_FIELD_BY(GET_BYTES, BEFORE, AFTER, S, member, p, value)        \
  __extension__({                                                                    \
    const atoll_upc_pointer atoll_upc_place = (p);                                   \
    __typeof__(S) atoll_upc_object, atoll_upc_mask;                                  \
    memset(&atoll_upc_mask, 0, sizeof(S));                                           \
    atoll_upc_mask.member -= 1; /* all bits */                                       \
    GET_BYTES(&atoll_upc_object, atoll_upc_place, sizeof(S));                        \
    atoll_upc_object.member = (value);                                               \
    BEFORE();                                                                        \
    atoll_upc_put_masked(atoll_upc_place, &atoll_upc_object, &atoll_upc_mask, sizeof(S)); \
    AFTER();                                                                         \
    atoll_upc_object.member;                                                         \
  })
#define ATOLL_UPC_GET_FIELD(S, member, p)                                            \
  ATOLL_UPC_GET_FIELD_BY(ATOLL_UPC_GET_BYTES, S, member, p)
#define ATOLL_UPC_GET_FIELD_STRICT(S, member, p)                                     \
  ATOLL_UPC_GET_FIELD_BY(ATOLL_UPC_GET_BYTES_STRICT, S, member, p)
#define ATOLL_UPC_PUT_FIELD(S, member, p, value)                                     \
  ATOLL_UPC_PUT_FIELD_BY(ATOLL_UPC_GET_BYTES, ATOLL_UPC_NOTHING, ATOLL_UPC_NOTHING, S, member, p, \
                         value)
#define ATOLL_UPC_PUT_FIELD_STRICT(S, member, p, value)                              \
  ATOLL_UPC_PUT_FIELD_BY(ATOLL_UPC_GET_BYTES_STRICT, atoll_upc_before_strict_store,  \
                         atoll_upc_after_strict_store, S, member, p, value)

/* clang-format on */

#endif
