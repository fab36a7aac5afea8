// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic integers of 32 and 64 bits. No operation orders other memory unless its flags say so; the
// flags become the memory order of the operation itself where that suffices, so that the thread
// sanitizer sees it, and fences otherwise. "Strong" operations are always atomic, on every platform
// also for signal handlers; the others are plain in a program of one thread.
#ifndef GASNETTOOLS_ATOMIC_H
#define GASNETTOOLS_ATOMIC_H

#include "gasnettools_mode.h"

/* ---- fences around an operation ------------------------------------------------------------- */

#define GASNETT_ATOMIC_NONE 0
#define GASNETT_ATOMIC_RMB_PRE 1
#define GASNETT_ATOMIC_WMB_PRE 2
#define GASNETT_ATOMIC_MB_PRE 3
#define GASNETT_ATOMIC_RMB_POST 4
#define GASNETT_ATOMIC_WMB_POST 8
#define GASNETT_ATOMIC_MB_POST 12
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE 16
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 32
#define GASNETT_ATOMIC_REL GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE GASNETT_ATOMIC_RMB_POST_IF_FALSE

/* The order of a store, a load, a read-modify-write operation. */
#define ATOLL_TOOLS_STORE_ORDER(flags) \
  (((flags) & GASNETT_ATOMIC_MB_PRE) ? __ATOMIC_RELEASE : __ATOMIC_RELAXED)
#define ATOLL_TOOLS_LOAD_ORDER(flags) \
  (((flags) & GASNETT_ATOMIC_MB_POST) ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED)
#define ATOLL_TOOLS_RMW_ORDER(flags)                                                \
  (((flags) & GASNETT_ATOMIC_MB_PRE)                                                \
       ? (((flags) & GASNETT_ATOMIC_MB_POST) ? __ATOMIC_ACQ_REL : __ATOMIC_RELEASE) \
       : (((flags) & GASNETT_ATOMIC_MB_POST) ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED))

/* A read-modify-write operation of x86 is a full fence by itself. */
#if defined(__x86_64__) || defined(__i386__)
#define ATOLL_TOOLS_RMW_IS_FENCE 1
#else
#define ATOLL_TOOLS_RMW_IS_FENCE 0
#endif

/* The fences that the flags ask for beside the operation: a full one is not needed where `is_fence`
   tells that the operation itself is one. */
static inline __attribute__((__always_inline__)) void atoll_tools_before(int flags, int is_fence) {
  if (!is_fence && (flags & GASNETT_ATOMIC_MB_PRE) == GASNETT_ATOMIC_MB_PRE) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  } else if (flags & GASNETT_ATOMIC_RMB_PRE) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  } else if (flags & GASNETT_ATOMIC_WMB_PRE) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
  }
}
static inline __attribute__((__always_inline__)) void atoll_tools_after(int flags, int is_fence) {
  if (!is_fence && (flags & GASNETT_ATOMIC_MB_POST) == GASNETT_ATOMIC_MB_POST) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
  } else if (flags & GASNETT_ATOMIC_WMB_POST) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
  } else if (flags & GASNETT_ATOMIC_RMB_POST) {
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  }
}

/* ---- types ---------------------------------------------------------------------------------- */

/* Exactly the size and the alignment of the integer; storage declared as any integer or floating
   type of this size may be accessed through them. */
typedef struct __attribute__((__may_alias__)) {
  uint32_t atoll_value;
} gasnett_strongatomic32_t;
typedef struct __attribute__((__may_alias__)) {
  uint64_t atoll_value;
} gasnett_strongatomic64_t;

/* ---- operations ----------------------------------------------------------------------------- */

#define ATOLL_TOOLS_FUNCTION static inline __attribute__((__always_inline__))

#define ATOLL_TOOLS_ATOMIC_FAMILY(bits)                                                           \
  ATOLL_TOOLS_FUNCTION uint##bits##_t atoll_tools_strong##bits##_read(                            \
      const volatile gasnett_strongatomic##bits##_t* target, int flags) {                         \
    uint##bits##_t value;                                                                         \
    atoll_tools_before(flags, 0);                                                                 \
    value = __atomic_load_n(&target->atoll_value, ATOLL_TOOLS_LOAD_ORDER(flags));                 \
    atoll_tools_after(flags, 0);                                                                  \
    return value;                                                                                 \
  }                                                                                               \
  ATOLL_TOOLS_FUNCTION void atoll_tools_strong##bits##_set(                                       \
      volatile gasnett_strongatomic##bits##_t* target, uint##bits##_t value, int flags) {         \
    atoll_tools_before(flags, 0);                                                                 \
    __atomic_store_n(&target->atoll_value, value, ATOLL_TOOLS_STORE_ORDER(flags));                \
    atoll_tools_after(flags, 0);                                                                  \
  }                                                                                               \
  ATOLL_TOOLS_FUNCTION uint##bits##_t atoll_tools_strong##bits##_swap(                            \
      volatile gasnett_strongatomic##bits##_t* target, uint##bits##_t value, int flags) {         \
    uint##bits##_t old;                                                                           \
    atoll_tools_before(flags, ATOLL_TOOLS_RMW_IS_FENCE);                                          \
    old = __atomic_exchange_n(&target->atoll_value, value, ATOLL_TOOLS_RMW_ORDER(flags));         \
    atoll_tools_after(flags, ATOLL_TOOLS_RMW_IS_FENCE);                                           \
    return old;                                                                                   \
  }                                                                                               \
  ATOLL_TOOLS_FUNCTION uint##bits##_t atoll_tools_strong##bits##_add(                             \
      volatile gasnett_strongatomic##bits##_t* target, uint##bits##_t value, int flags) {         \
    uint##bits##_t sum;                                                                           \
    atoll_tools_before(flags, ATOLL_TOOLS_RMW_IS_FENCE);                                          \
    sum = __atomic_add_fetch(&target->atoll_value, value, ATOLL_TOOLS_RMW_ORDER(flags));          \
    atoll_tools_after(flags, ATOLL_TOOLS_RMW_IS_FENCE);                                           \
    return sum;                                                                                   \
  }                                                                                               \
  ATOLL_TOOLS_FUNCTION int atoll_tools_strong##bits##_cas(                                        \
      volatile gasnett_strongatomic##bits##_t* target, uint##bits##_t expected,                   \
      uint##bits##_t value, int flags) {                                                          \
    int done;                                                                                     \
    if (flags & (GASNETT_ATOMIC_RMB_POST_IF_TRUE | GASNETT_ATOMIC_RMB_POST_IF_FALSE)) {           \
      flags |= GASNETT_ATOMIC_RMB_POST; /* costs nothing where the operation is a fence */        \
    }                                                                                             \
    atoll_tools_before(flags, ATOLL_TOOLS_RMW_IS_FENCE);                                          \
    done =                                                                                        \
        __atomic_compare_exchange_n(&target->atoll_value, &expected, value, 0,                    \
                                    ATOLL_TOOLS_RMW_ORDER(flags), ATOLL_TOOLS_LOAD_ORDER(flags)); \
    atoll_tools_after(flags, ATOLL_TOOLS_RMW_IS_FENCE);                                           \
    return done;                                                                                  \
  }                                                                                               \
  ATOLL_TOOLS_FUNCTION int atoll_tools_strong##bits##_count_down(                                 \
      volatile gasnett_strongatomic##bits##_t* target, int flags) {                               \
    if (flags & (GASNETT_ATOMIC_RMB_POST_IF_TRUE | GASNETT_ATOMIC_RMB_POST_IF_FALSE)) {           \
      flags |= GASNETT_ATOMIC_RMB_POST;                                                           \
    }                                                                                             \
    return atoll_tools_strong##bits##_add(target, ~(uint##bits##_t)0, flags) == 0;                \
  }

/* The same for a program of one thread: no operation needs to be atomic, nor to be ordered. */
#define ATOLL_TOOLS_PLAIN_FAMILY(bits)                                                    \
  ATOLL_TOOLS_FUNCTION uint##bits##_t atoll_tools_plain##bits##_read(                     \
      const volatile gasnett_strongatomic##bits##_t* target, int flags) {                 \
    (void)flags;                                                                          \
    return target->atoll_value;                                                           \
  }                                                                                       \
  ATOLL_TOOLS_FUNCTION void atoll_tools_plain##bits##_set(                                \
      volatile gasnett_strongatomic##bits##_t* target, uint##bits##_t value, int flags) { \
    (void)flags;                                                                          \
    target->atoll_value = value;                                                          \
  }                                                                                       \
  ATOLL_TOOLS_FUNCTION uint##bits##_t atoll_tools_plain##bits##_swap(                     \
      volatile gasnett_strongatomic##bits##_t* target, uint##bits##_t value, int flags) { \
    const uint##bits##_t old = target->atoll_value;                                       \
    (void)flags;                                                                          \
    target->atoll_value = value;                                                          \
    return old;                                                                           \
  }                                                                                       \
  ATOLL_TOOLS_FUNCTION uint##bits##_t atoll_tools_plain##bits##_add(                      \
      volatile gasnett_strongatomic##bits##_t* target, uint##bits##_t value, int flags) { \
    const uint##bits##_t sum = target->atoll_value + value;                               \
    (void)flags;                                                                          \
    target->atoll_value = sum;                                                            \
    return sum;                                                                           \
  }                                                                                       \
  ATOLL_TOOLS_FUNCTION int atoll_tools_plain##bits##_cas(                                 \
      volatile gasnett_strongatomic##bits##_t* target, uint##bits##_t expected,           \
      uint##bits##_t value, int flags) {                                                  \
    (void)flags;                                                                          \
    if (target->atoll_value != expected) return 0;                                        \
    target->atoll_value = value;                                                          \
    return 1;                                                                             \
  }                                                                                       \
  ATOLL_TOOLS_FUNCTION int atoll_tools_plain##bits##_count_down(                          \
      volatile gasnett_strongatomic##bits##_t* target, int flags) {                       \
    return atoll_tools_plain##bits##_add(target, ~(uint##bits##_t)0, flags) == 0;         \
  }

ATOLL_TOOLS_ATOMIC_FAMILY(32)
ATOLL_TOOLS_ATOMIC_FAMILY(64)
ATOLL_TOOLS_PLAIN_FAMILY(32)
ATOLL_TOOLS_PLAIN_FAMILY(64)

#if ATOLL_TOOLS_THREADS
#define ATOLL_TOOLS_WEAK(bits_and_name) atoll_tools_strong##bits_and_name
#else
#define ATOLL_TOOLS_WEAK(bits_and_name) atoll_tools_plain##bits_and_name
#endif

/* ---- 32 bits, always atomic -------------------------------------------------------------- */

#define gasnett_strongatomic32_init(v) {(uint32_t)(v)}
#define gasnett_strongatomic32_read(p, flags) atoll_tools_strong32_read(p, flags)
#define gasnett_strongatomic32_set(p, v, flags) atoll_tools_strong32_set(p, (uint32_t)(v), flags)
#define gasnett_strongatomic32_swap(p, v, flags) atoll_tools_strong32_swap(p, (uint32_t)(v), flags)
#define gasnett_strongatomic32_compare_and_swap(p, old, v, flags) \
  atoll_tools_strong32_cas(p, (uint32_t)(old), (uint32_t)(v), flags)
#define gasnett_strongatomic32_add(p, v, flags) atoll_tools_strong32_add(p, (uint32_t)(v), flags)
#define gasnett_strongatomic32_subtract(p, v, flags) \
  atoll_tools_strong32_add(p, (uint32_t)0 - (uint32_t)(v), flags)
#define gasnett_strongatomic32_increment(p, flags) ((void)atoll_tools_strong32_add(p, 1, flags))
#define gasnett_strongatomic32_decrement(p, flags) \
  ((void)atoll_tools_strong32_add(p, ~(uint32_t)0, flags))
#define gasnett_strongatomic32_decrement_and_test(p, flags) \
  atoll_tools_strong32_count_down(p, flags)

/* ---- 64 bits, always atomic -------------------------------------------------------------- */

#define gasnett_strongatomic64_init(v) {(uint64_t)(v)}
#define gasnett_strongatomic64_read(p, flags) atoll_tools_strong64_read(p, flags)
#define gasnett_strongatomic64_set(p, v, flags) atoll_tools_strong64_set(p, (uint64_t)(v), flags)
#define gasnett_strongatomic64_swap(p, v, flags) atoll_tools_strong64_swap(p, (uint64_t)(v), flags)
#define gasnett_strongatomic64_compare_and_swap(p, old, v, flags) \
  atoll_tools_strong64_cas(p, (uint64_t)(old), (uint64_t)(v), flags)
#define gasnett_strongatomic64_add(p, v, flags) atoll_tools_strong64_add(p, (uint64_t)(v), flags)
#define gasnett_strongatomic64_subtract(p, v, flags) \
  atoll_tools_strong64_add(p, (uint64_t)0 - (uint64_t)(v), flags)
#define gasnett_strongatomic64_increment(p, flags) ((void)atoll_tools_strong64_add(p, 1, flags))
#define gasnett_strongatomic64_decrement(p, flags) \
  ((void)atoll_tools_strong64_add(p, ~(uint64_t)0, flags))
#define gasnett_strongatomic64_decrement_and_test(p, flags) \
  atoll_tools_strong64_count_down(p, flags)

/* ---- a counter, always atomic ------------------------------------------------------------ */

#define gasnett_strongatomic_t gasnett_strongatomic32_t
#define gasnett_strongatomic_init(v) {(uint32_t)(v)}
#define gasnett_strongatomic_read(p, flags) atoll_tools_strong32_read(p, flags)
#define gasnett_strongatomic_set(p, v, flags) atoll_tools_strong32_set(p, (uint32_t)(v), flags)
#define gasnett_strongatomic_swap(p, v, flags) atoll_tools_strong32_swap(p, (uint32_t)(v), flags)
#define gasnett_strongatomic_compare_and_swap(p, old, v, flags) \
  atoll_tools_strong32_cas(p, (uint32_t)(old), (uint32_t)(v), flags)
#define gasnett_strongatomic_add(p, v, flags) atoll_tools_strong32_add(p, (uint32_t)(v), flags)
#define gasnett_strongatomic_subtract(p, v, flags) \
  atoll_tools_strong32_add(p, (uint32_t)0 - (uint32_t)(v), flags)
#define gasnett_strongatomic_increment(p, flags) ((void)atoll_tools_strong32_add(p, 1, flags))
#define gasnett_strongatomic_decrement(p, flags) \
  ((void)atoll_tools_strong32_add(p, ~(uint32_t)0, flags))
#define gasnett_strongatomic_decrement_and_test(p, flags) atoll_tools_strong32_count_down(p, flags)

/* ---- 32 bits ----------------------------------------------------------------------------- */

#define gasnett_atomic32_t gasnett_strongatomic32_t
#define gasnett_atomic32_init(v) {(uint32_t)(v)}
#define gasnett_atomic32_read(p, flags) ATOLL_TOOLS_WEAK(32_read)(p, flags)
#define gasnett_atomic32_set(p, v, flags) ATOLL_TOOLS_WEAK(32_set)(p, (uint32_t)(v), flags)
#define gasnett_atomic32_swap(p, v, flags) ATOLL_TOOLS_WEAK(32_swap)(p, (uint32_t)(v), flags)
#define gasnett_atomic32_compare_and_swap(p, old, v, flags) \
  ATOLL_TOOLS_WEAK(32_cas)(p, (uint32_t)(old), (uint32_t)(v), flags)
#define gasnett_atomic32_add(p, v, flags) ATOLL_TOOLS_WEAK(32_add)(p, (uint32_t)(v), flags)
#define gasnett_atomic32_subtract(p, v, flags) \
  ATOLL_TOOLS_WEAK(32_add)(p, (uint32_t)0 - (uint32_t)(v), flags)
#define gasnett_atomic32_increment(p, flags) ((void)ATOLL_TOOLS_WEAK(32_add)(p, 1, flags))
#define gasnett_atomic32_decrement(p, flags) \
  ((void)ATOLL_TOOLS_WEAK(32_add)(p, ~(uint32_t)0, flags))
#define gasnett_atomic32_decrement_and_test(p, flags) ATOLL_TOOLS_WEAK(32_count_down)(p, flags)

/* ---- 64 bits ----------------------------------------------------------------------------- */

#define gasnett_atomic64_t gasnett_strongatomic64_t
#define gasnett_atomic64_init(v) {(uint64_t)(v)}
#define gasnett_atomic64_read(p, flags) ATOLL_TOOLS_WEAK(64_read)(p, flags)
#define gasnett_atomic64_set(p, v, flags) ATOLL_TOOLS_WEAK(64_set)(p, (uint64_t)(v), flags)
#define gasnett_atomic64_swap(p, v, flags) ATOLL_TOOLS_WEAK(64_swap)(p, (uint64_t)(v), flags)
#define gasnett_atomic64_compare_and_swap(p, old, v, flags) \
  ATOLL_TOOLS_WEAK(64_cas)(p, (uint64_t)(old), (uint64_t)(v), flags)
#define gasnett_atomic64_add(p, v, flags) ATOLL_TOOLS_WEAK(64_add)(p, (uint64_t)(v), flags)
#define gasnett_atomic64_subtract(p, v, flags) \
  ATOLL_TOOLS_WEAK(64_add)(p, (uint64_t)0 - (uint64_t)(v), flags)
#define gasnett_atomic64_increment(p, flags) ((void)ATOLL_TOOLS_WEAK(64_add)(p, 1, flags))
#define gasnett_atomic64_decrement(p, flags) \
  ((void)ATOLL_TOOLS_WEAK(64_add)(p, ~(uint64_t)0, flags))
#define gasnett_atomic64_decrement_and_test(p, flags) ATOLL_TOOLS_WEAK(64_count_down)(p, flags)

/* ---- a counter --------------------------------------------------------------------------- */

#define gasnett_atomic_t gasnett_strongatomic32_t
#define gasnett_atomic_init(v) {(uint32_t)(v)}
#define gasnett_atomic_read(p, flags) ATOLL_TOOLS_WEAK(32_read)(p, flags)
#define gasnett_atomic_set(p, v, flags) ATOLL_TOOLS_WEAK(32_set)(p, (uint32_t)(v), flags)
#define gasnett_atomic_swap(p, v, flags) ATOLL_TOOLS_WEAK(32_swap)(p, (uint32_t)(v), flags)
#define gasnett_atomic_compare_and_swap(p, old, v, flags) \
  ATOLL_TOOLS_WEAK(32_cas)(p, (uint32_t)(old), (uint32_t)(v), flags)
#define gasnett_atomic_add(p, v, flags) ATOLL_TOOLS_WEAK(32_add)(p, (uint32_t)(v), flags)
#define gasnett_atomic_subtract(p, v, flags) \
  ATOLL_TOOLS_WEAK(32_add)(p, (uint32_t)0 - (uint32_t)(v), flags)
#define gasnett_atomic_increment(p, flags) ((void)ATOLL_TOOLS_WEAK(32_add)(p, 1, flags))
#define gasnett_atomic_decrement(p, flags) ((void)ATOLL_TOOLS_WEAK(32_add)(p, ~(uint32_t)0, flags))
#define gasnett_atomic_decrement_and_test(p, flags) ATOLL_TOOLS_WEAK(32_count_down)(p, flags)

#define gasnett_atomic_val_t uint32_t
#define gasnett_atomic_sval_t int32_t
#define gasnett_atomic_signed(v) ((int32_t)(v))
#define GASNETT_ATOMIC_MAX ((uint32_t)0xffffffffu)
#define GASNETT_ATOMIC_SIGNED_MIN ((int32_t)(-0x7fffffff - 1))
#define GASNETT_ATOMIC_SIGNED_MAX ((int32_t)0x7fffffff)

#define GASNETT_HAVE_ATOMIC_ADD_SUB 1
#define GASNETT_HAVE_ATOMIC_CAS 1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB 1
#define GASNETT_HAVE_STRONGATOMIC_CAS 1

#endif
