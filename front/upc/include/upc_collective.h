/* SPDX-License-Identifier: BSD-3-Clause

   Collectives (UPC required library specification 1.3, 7.4). All threads call with the same
   arguments, and not between upc_notify and upc_wait; the flags say which threads have to be there
   before data is read or written, and how far the operation is when a thread returns. A wrong
   argument ends the job with a message. */
#ifndef ATOLL_UPC_COLLECTIVE_H
#define ATOLL_UPC_COLLECTIVE_H

#include <atoll_upc/shared.h>
#include <stddef.h>
#include <upc_types.h>

ATOLL_UPC_BEGIN

/* Further operations, 7.4.3: a function of the caller. */
#define UPC_FUNC 512
#define UPC_NONCOMM_FUNC 1024

/* ---- 7.4.2: relocalization, of blocks of nbytes bytes ---------------------------------------- */

/* Copies the block at src to the block of each thread at dst. */
void upc_all_broadcast(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t nbytes,
                       upc_flag_t flags);
/* Copies block i of one thread to thread i; and back. */
void upc_all_scatter(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t nbytes,
                     upc_flag_t flags);
void upc_all_gather(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t nbytes,
                    upc_flag_t flags);
/* Copies the block of thread i to block i of every thread. */
void upc_all_gather_all(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t nbytes,
                        upc_flag_t flags);
/* Copies block i of thread j to block j of thread i. */
void upc_all_exchange(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t nbytes,
                      upc_flag_t flags);
/* Copies the block of thread i to the block of thread perm[i]. */
void upc_all_permute(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src,
                     ATOLL_UPC_TO_CONST(int) perm, size_t nbytes, upc_flag_t flags);

/* ---- 7.4.3: computation ---------------------------------------------------------------------- */

/* Combines the elements of src, in blocks of blk_size (0: all on one thread), into *dst; or writes
   all their prefixes to dst, which is laid out like src. */
#define ATOLL_UPC_DECLARE_REDUCTION(T, TYPE)                                                       \
  void upc_all_reduce##T(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, upc_op_t op,        \
                         size_t nelems, size_t blk_size, TYPE (*func)(TYPE, TYPE),                 \
                         upc_flag_t flags);                                                        \
  void upc_all_prefix_reduce##T(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, upc_op_t op, \
                                size_t nelems, size_t blk_size, TYPE (*func)(TYPE, TYPE),          \
                                upc_flag_t flags);
ATOLL_UPC_DECLARE_REDUCTION(C, signed char)
ATOLL_UPC_DECLARE_REDUCTION(UC, unsigned char)
ATOLL_UPC_DECLARE_REDUCTION(S, signed short)
ATOLL_UPC_DECLARE_REDUCTION(US, unsigned short)
ATOLL_UPC_DECLARE_REDUCTION(I, signed int)
ATOLL_UPC_DECLARE_REDUCTION(UI, unsigned int)
ATOLL_UPC_DECLARE_REDUCTION(L, signed long)
ATOLL_UPC_DECLARE_REDUCTION(UL, unsigned long)
ATOLL_UPC_DECLARE_REDUCTION(F, float)
ATOLL_UPC_DECLARE_REDUCTION(D, double)
ATOLL_UPC_DECLARE_REDUCTION(LD, long double)
#undef ATOLL_UPC_DECLARE_REDUCTION

ATOLL_UPC_END

#endif
