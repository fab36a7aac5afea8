/* SPDX-License-Identifier: BSD-3-Clause

   Runs: elements of a shared array that lie side by side, as a loop of emitted C goes through them.
   A run is reached by a private pointer: to the elements themselves where their thread's memory is
   mapped in this process, else to a copy. A copy is fetched before the run when the loop reads the
   elements, and stored after it when the loop writes them, each by one transfer. The translator
   asks for copies only where all accesses of the loop are relaxed, nothing in it synchronizes, and
   nothing else in it names what it writes; then the memory model lets the copies replace the
   elements (UPC language specification 1.3, 5.1.2.3).

   Addresses are computed even for iterations that do not access them. So an address outside of
   shared memory is no error here: its run has no elements, and the access itself is refused. */
#ifndef ATOLL_UPC_RUN_H
#define ATOLL_UPC_RUN_H

#include <atoll_upc/access.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The copy of a run; `copy` is null where the pointer leads to the elements themselves. */
typedef struct atoll_upc_run {
  void* copy;
  atoll_upc_pointer from;
  size_t bytes;
  int is_written;
} atoll_upc_run;

/* The number of elements of a run whose thread is not mapped, at most `most` and at most what a
   copy holds; 0 if they lie outside of shared memory. */
ptrdiff_t atoll_upc_run_length_elsewhere(atoll_upc_pointer p, size_t element_bytes, ptrdiff_t most);
/* `ahead`: bytes after the run, of the same thread, that the loop reads next. */
void* atoll_upc_run_fetch(atoll_upc_run* run, int is_read, size_t ahead);
void atoll_upc_run_store(atoll_upc_run* run);

/* The number of elements from p on, at most `most`, that one private pointer reaches. */
ATOLL_UPC_INLINE ptrdiff_t atoll_upc_run_length(atoll_upc_pointer p, size_t element_bytes,
                                                size_t block, int may_copy, ptrdiff_t most) {
  const ptrdiff_t left = (ptrdiff_t)(block - p.phase);
  if (block != 0 && left < most) most = left;
  if (!ATOLL_LIKELY(p.thread < (uint32_t)ATOLL_UPC_THREADS)) return 0;
  {
    const atoll_route* const row = atoll_upc_routes + p.thread;
    if (ATOLL_LIKELY(p.offset - 1 < row->word_places)) {
      const ptrdiff_t mapped = (ptrdiff_t)((row->word_places + 16 - p.offset) / element_bytes);
      return mapped < most ? mapped : most;
    }
    return may_copy ? atoll_upc_run_length_elsewhere(p, element_bytes, most) : 0;
  }
}

/* The address of the elements or of their copy, until atoll_upc_run_end. */
ATOLL_UPC_INLINE void* atoll_upc_run_begin(atoll_upc_run* run, atoll_upc_pointer p, size_t bytes,
                                           int is_read, int is_written) {
  const atoll_route* const row = atoll_upc_routes + p.thread;
  run->copy = NULL;
  if (ATOLL_LIKELY(p.offset - 1 < row->word_places)) return row->local + p.offset;
  run->from = p;
  run->bytes = bytes;
  run->is_written = is_written;
  return atoll_upc_run_fetch(run, is_read, 0);
}

/* The same in a loop that will go through all of `left` elements from p on: what follows the run in
   its block is fetched while the loop works on the run. */
ATOLL_UPC_INLINE void* atoll_upc_run_begin_ahead(atoll_upc_run* run, atoll_upc_pointer p,
                                                 size_t bytes, size_t element_bytes, size_t block,
                                                 ptrdiff_t left, int is_read, int is_written) {
  const atoll_route* const row = atoll_upc_routes + p.thread;
  run->copy = NULL;
  if (ATOLL_LIKELY(p.offset - 1 < row->word_places)) return row->local + p.offset;
  run->from = p;
  run->bytes = bytes;
  run->is_written = is_written;
  if (block != 0 && (ptrdiff_t)(block - p.phase) < left) left = (ptrdiff_t)(block - p.phase);
  return atoll_upc_run_fetch(run, is_read, (size_t)left * element_bytes - bytes);
}

/* Whether these bytes of a run do not overlap those that this thread reaches at `own`. */
ATOLL_UPC_INLINE int atoll_upc_run_is_apart(atoll_upc_pointer p, size_t bytes, const void* own,
                                            size_t own_bytes) {
  const uint64_t begin =
      (uint64_t)((const char*)own - (const char*)atoll_upc_routes[atoll_upc_mythread].local);
  return p.thread != (uint32_t)atoll_upc_mythread || p.offset + bytes <= begin ||
         begin + own_bytes <= p.offset;
}

/* Before a loop that reads runs and writes memory that does not overlap them. */
#if defined(__clang__)
#define ATOLL_UPC_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define ATOLL_UPC_APART _Pragma("GCC ivdep")
#endif

ATOLL_UPC_INLINE void atoll_upc_run_end(atoll_upc_run* run) {
  if (!ATOLL_LIKELY(run->copy == NULL)) atoll_upc_run_store(run);
}

#ifdef __cplusplus
}
#endif

#endif
