/* SPDX-License-Identifier: BSD-3-Clause

   Synchronization and upc_forall as emitted C has them (UPC language specification 1.3, 6.6.1 and
   6.6.2). */
#ifndef ATOLL_UPC_CONTROL_H
#define ATOLL_UPC_CONTROL_H

#include <atoll_upc/access.h>

#ifdef __cplusplus
extern "C" {
#endif

/* upc_notify, upc_wait, upc_barrier and upc_fence. has_value: whether the statement has an
   expression, with this value. Values that differ between threads, a wait without its notify, and a
   second notify end the job with a message that names the threads and their values. Each of them
   orders all accesses of the thread before it before all that follow. */
void atoll_upc_notify(int has_value, int value);
void atoll_upc_wait(int has_value, int value);
void atoll_upc_barrier(int has_value, int value);
void atoll_upc_fence(void);

/* The place of the next of these statements in the source, for messages. */
extern const char* atoll_upc_file;
extern int atoll_upc_line;
#define ATOLL_UPC_AT(file, line) ((void)(atoll_upc_file = (file), atoll_upc_line = (line)))

/* The number of controlling upc_forall statements around the code that this thread runs: all but
   the outermost one run all their iterations. */
extern int atoll_upc_forall_depth;

/* Whether an iteration with this affinity expression is this thread's. */
#define ATOLL_UPC_AFFINITY_INTEGER(e)                                                \
  ((__typeof__((e) + 0))-1 > 0                                                       \
       ? (uint64_t)(e) % (uint64_t)ATOLL_UPC_THREADS == (uint64_t)atoll_upc_mythread \
       : atoll_upc_owns_integer((int64_t)(e)))
#define ATOLL_UPC_AFFINITY_POINTER(p) ((p).thread == (uint32_t)atoll_upc_mythread)

ATOLL_UPC_INLINE int atoll_upc_owns_integer(int64_t e) {
  uint32_t thread;
  (void)atoll_upc_row_of(e, &thread);
  return thread == (uint32_t)atoll_upc_mythread;
}

/* Counts the upc_forall that it stands in until the block ends, however the block is left. `outer`
   is the number before. */
#define ATOLL_UPC_ENTER_FORALL(outer) \
  const int outer __attribute__((cleanup(atoll_upc_leave_forall))) = atoll_upc_forall_depth++

ATOLL_UPC_INLINE void atoll_upc_leave_forall(const int* outer) { atoll_upc_forall_depth = *outer; }

/* The number of low, low + THREADS, low + 2 * THREADS... that are below end. */
ATOLL_UPC_INLINE ptrdiff_t atoll_upc_count_of_cycle(ptrdiff_t low, ptrdiff_t end) {
  uint32_t thread;
  return low < end ? (ptrdiff_t)atoll_upc_row_of(end - low - 1, &thread) + 1 : 0;
}

#ifdef __cplusplus
}
#endif

#endif
