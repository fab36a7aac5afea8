/* SPDX-License-Identifier: BSD-3-Clause

   Pointers-to-shared as emitted C and the library hold them, and their arithmetic (UPC language
   specification 1.3, 6.4.2 and 6.4.3). A pointer is a thread, a byte offset in the thread's part of
   segment 0 (atoll/abi.h), which is the same number on all threads for a block of the symmetric
   heap, and a phase: the position of the element in its block. It is a struct of two machine words,
   so it travels in registers, and C that uses it as a number does not compile.

   The arithmetic takes the size of an element in bytes and the block size in elements; both are
   constants in emitted C, so that only one case of each function remains. No division is by a
   number that is unknown when compiling. THREADS is a literal, or a power of two, which divides by
   a shift, or else divides by a multiplication with a reciprocal; the start of the program computes
   both. Blocks and threads are counted with signs and divided downwards, so that pointers move
   backwards by the same formulas.

   Offset 0 is in no object: a pointer whose offset is 0 is null, whatever else it holds. */
#ifndef ATOLL_UPC_POINTER_H
#define ATOLL_UPC_POINTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct atoll_upc_pointer {
  uint64_t offset;
  uint32_t thread;
  uint32_t phase;
} atoll_upc_pointer;

#ifdef __cplusplus
#define ATOLL_UPC_NULL (atoll_upc_pointer{})
#else
#define ATOLL_UPC_NULL ((atoll_upc_pointer){0, 0, 0})
#endif

/* ---- THREADS and MYTHREAD -------------------------------------------------------------------- */

/* Set before any code of the program runs, and constant from then on. The shift is log2(THREADS)
   and the mask THREADS - 1; where THREADS is no power of two, the shift is -1. The reciprocal is
   (2^64 - 1) / THREADS. */
extern const int atoll_upc_threads;
extern const int atoll_upc_mythread;
extern const int atoll_upc_threads_shift;
extern const uint32_t atoll_upc_threads_mask;
extern const uint64_t atoll_upc_threads_reciprocal;

/* A unit that is translated for N threads defines ATOLL_UPC_STATIC_THREADS as the literal N. */
#ifdef ATOLL_UPC_STATIC_THREADS
#define ATOLL_UPC_THREADS ATOLL_UPC_STATIC_THREADS
#define ATOLL_UPC_HAS_SHIFT ((ATOLL_UPC_STATIC_THREADS & (ATOLL_UPC_STATIC_THREADS - 1)) == 0)
#define ATOLL_UPC_THREADS_SHIFT __builtin_ctz(ATOLL_UPC_STATIC_THREADS)
#define ATOLL_UPC_THREADS_MASK (ATOLL_UPC_STATIC_THREADS - 1u)
#else
#define ATOLL_UPC_THREADS atoll_upc_threads
#define ATOLL_UPC_HAS_SHIFT (atoll_upc_threads_shift >= 0)
#define ATOLL_UPC_THREADS_SHIFT atoll_upc_threads_shift
#define ATOLL_UPC_THREADS_MASK atoll_upc_threads_mask
#endif

#define ATOLL_UPC_INLINE static inline __attribute__((always_inline, unused))

/* floor(x / divisor) for a positive divisor. In two's complement ~x is -1 - x, so a negative number
   is mirrored, divided, and mirrored again. */
ATOLL_UPC_INLINE int64_t atoll_upc_floor_divide(int64_t x, uint64_t divisor) {
  const int64_t sign = x >> 63;
  if ((divisor & (divisor - 1)) == 0) return x >> __builtin_ctzll(divisor);
  return (int64_t)((uint64_t)(x ^ sign) / divisor) ^ sign;
}

/* Blocks go around the threads: floor(x / THREADS) is the row of block x, and the rest is its
   thread. It is a shift where THREADS is a power of two, else a product. That is exact while
   |x| < 2^64 / THREADS, which no memory exceeds: with r the reciprocal, and y = x or, for a
   negative x, its mirror ~x, (y + 1) * r / 2^64 lies between y / THREADS and the next whole
   number. */
ATOLL_UPC_INLINE int64_t atoll_upc_row_of(int64_t x, uint32_t* thread) {
  int64_t row;
  if (__builtin_constant_p(ATOLL_UPC_THREADS)) {
    row = atoll_upc_floor_divide(x, ATOLL_UPC_THREADS);
  } else if (__builtin_expect(atoll_upc_threads_shift >= 0, 1)) {
    *thread = (uint32_t)x & atoll_upc_threads_mask;
    return x >> atoll_upc_threads_shift;
  } else {
    const int64_t sign = x >> 63;
    __extension__ typedef unsigned __int128 product;
    const uint64_t next = (uint64_t)(x ^ sign) + 1;
    row = (int64_t)((product)next * atoll_upc_threads_reciprocal >> 64) ^ sign;
  }
  *thread = (uint32_t)(x - row * ATOLL_UPC_THREADS);
  return row;
}

/* ---- steps by one element -------------------------------------------------------------------- */

ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_next(atoll_upc_pointer p, size_t element_bytes,
                                                  size_t block) {
  if (block == 0) {
    p.offset += element_bytes;
  } else if (block > 1 && p.phase + 1 < block) {
    ++p.phase;
    p.offset += element_bytes;
  } else {
    const int is_last = p.thread + 1 == (uint32_t)ATOLL_UPC_THREADS;
    p.offset -= (block - 1) * element_bytes;
    p.offset += is_last ? block * element_bytes : 0;
    p.thread = is_last ? 0 : p.thread + 1;
    p.phase = 0;
  }
  return p;
}

ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_previous(atoll_upc_pointer p, size_t element_bytes,
                                                      size_t block) {
  if (block == 0) {
    p.offset -= element_bytes;
  } else if (block > 1 && p.phase != 0) {
    --p.phase;
    p.offset -= element_bytes;
  } else {
    const int is_first = p.thread == 0;
    p.offset += (block - 1) * element_bytes;
    p.offset -= is_first ? block * element_bytes : 0;
    p.thread = is_first ? (uint32_t)ATOLL_UPC_THREADS - 1 : p.thread - 1;
    p.phase = (uint32_t)(block - 1);
  }
  return p;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* p + i. */
ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_add(atoll_upc_pointer p, ptrdiff_t i,
                                                 size_t element_bytes, size_t block) {
  if (block == 0) {
    p.offset += (uint64_t)i * element_bytes;
    return p;
  }
  if (__builtin_constant_p(i) && i == 1) return atoll_upc_next(p, element_bytes, block);
  if (__builtin_constant_p(i) && i == -1) return atoll_upc_previous(p, element_bytes, block);
  if ((block & (block - 1)) == 0 && __builtin_expect(ATOLL_UPC_HAS_SHIFT, 1)) {
    /* The bits of the element's number are those of its row, thread and phase. Without the bits of
       the thread they are the element's number on its thread. */
    const int64_t size = (int64_t)block;
    const int64_t old_phase = block == 1 ? 0 : (int64_t)p.phase;
    const int64_t number = i + (int64_t)p.thread * size + old_phase;
    const int64_t phase = number & (size - 1);
    const int64_t local = ((number >> ATOLL_UPC_THREADS_SHIFT) & -size) + phase;
    p.thread = (uint32_t)(number >> __builtin_ctzll(block)) & ATOLL_UPC_THREADS_MASK;
    p.offset += (uint64_t)(local - old_phase) * element_bytes;
    p.phase = (uint32_t)phase;
  } else {
    const int64_t position = block == 1 ? i : i + (int64_t)p.phase;
    const int64_t blocks = atoll_upc_floor_divide(position, block);
    const int64_t rows = atoll_upc_row_of(blocks + (int64_t)p.thread, &p.thread);
    const uint32_t phase = (uint32_t)(position - blocks * (int64_t)block);
    p.offset += (uint64_t)(rows * (int64_t)block) * element_bytes;
    if (block != 1) p.offset += ((uint64_t)phase - p.phase) * element_bytes;
    p.phase = phase;
  }
  return p;
}
#define atoll_upc_index(p, i, element_bytes, block) atoll_upc_add(p, i, element_bytes, block)

/* p - q in elements; undefined unless both are of the same array. */
ATOLL_UPC_INLINE ptrdiff_t atoll_upc_subtract(atoll_upc_pointer p, atoll_upc_pointer q,
                                              size_t element_bytes, size_t block) {
  const int64_t local = (int64_t)(p.offset - q.offset) / (int64_t)element_bytes;
  if (block == 0) return local;
  {
    const int64_t threads = (int64_t)p.thread - (int64_t)q.thread;
    const int64_t phases = block == 1 ? 0 : (int64_t)p.phase - (int64_t)q.phase;
    return (local - phases) * ATOLL_UPC_THREADS + threads * (int64_t)block + phases;
  }
}

/* The sign of p - q: a number below, equal to or above 0. */
ATOLL_UPC_INLINE int atoll_upc_compare(atoll_upc_pointer p, atoll_upc_pointer q,
                                       size_t element_bytes, size_t block) {
  if (block == 0) return (p.offset > q.offset) - (p.offset < q.offset);
  {
    const int64_t bytes = (int64_t)(p.offset - q.offset);
    const int64_t size = (int64_t)element_bytes;
    const int64_t threads = (int64_t)p.thread - (int64_t)q.thread;
    const int64_t phases = block == 1 ? 0 : (int64_t)p.phase - (int64_t)q.phase;
    const int64_t difference =
        (bytes - phases * size) * ATOLL_UPC_THREADS + (threads * (int64_t)block + phases) * size;
    return (difference > 0) - (difference < 0);
  }
}

/* p == q, which ignores phases. */
ATOLL_UPC_INLINE int atoll_upc_equal(atoll_upc_pointer p, atoll_upc_pointer q) {
  return p.offset == q.offset && p.thread == q.thread;
}

ATOLL_UPC_INLINE int atoll_upc_is_null(atoll_upc_pointer p) { return p.offset == 0; }

/* The member, of type shared [], at this many bytes after the begin of a shared struct. */
ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_member(atoll_upc_pointer p, size_t bytes) {
  p.offset += bytes;
  p.phase = 0;
  return p;
}

/* A cast to a type of another block size or element size, or of block size 1 or none. */
ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_reset_phase(atoll_upc_pointer p) {
  p.phase = 0;
  return p;
}

/* ++p and --p return the new pointer, p++ and p-- the old one. */
ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_increment(atoll_upc_pointer* p, size_t element_bytes,
                                                       size_t block) {
  return *p = atoll_upc_next(*p, element_bytes, block);
}
ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_decrement(atoll_upc_pointer* p, size_t element_bytes,
                                                       size_t block) {
  return *p = atoll_upc_previous(*p, element_bytes, block);
}
ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_post_increment(atoll_upc_pointer* p,
                                                            size_t element_bytes, size_t block) {
  const atoll_upc_pointer old = *p;
  *p = atoll_upc_next(old, element_bytes, block);
  return old;
}
ATOLL_UPC_INLINE atoll_upc_pointer atoll_upc_post_decrement(atoll_upc_pointer* p,
                                                            size_t element_bytes, size_t block) {
  const atoll_upc_pointer old = *p;
  *p = atoll_upc_previous(old, element_bytes, block);
  return old;
}

#ifdef __cplusplus
}
#endif

#endif
