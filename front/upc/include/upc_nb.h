/* SPDX-License-Identifier: BSD-3-Clause

   Non-blocking transfers (UPC optional library specification 1.3, 7.8). Between the start of a
   transfer and its synchronization neither side is changed, and the target is not read. A handle
   is of the thread that got it. */
#ifndef ATOLL_UPC_NB_H
#define ATOLL_UPC_NB_H

#include <atoll_upc/shared.h>
#include <stddef.h>

ATOLL_UPC_BEGIN

typedef struct atoll_operation* upc_handle_t;
#define UPC_COMPLETE_HANDLE ((upc_handle_t)0)

/* Start a transfer; the handle is UPC_COMPLETE_HANDLE when it is complete already. */
upc_handle_t upc_memcpy_nb(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
upc_handle_t upc_memget_nb(void* dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
upc_handle_t upc_memput_nb(ATOLL_UPC_TO(void) dst, const void* src, size_t n);
upc_handle_t upc_memset_nb(ATOLL_UPC_TO(void) dst, int c, size_t n);

/* The same without a handle. */
void upc_memcpy_nbi(ATOLL_UPC_TO(void) dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
void upc_memget_nbi(void* dst, ATOLL_UPC_TO_CONST(void) src, size_t n);
void upc_memput_nbi(ATOLL_UPC_TO(void) dst, const void* src, size_t n);
void upc_memset_nbi(ATOLL_UPC_TO(void) dst, int c, size_t n);

/* Wait for a transfer, or test it (1: it is complete, and the handle is used up); wait for all
   transfers of this thread without a handle, or test them. */
void upc_sync(upc_handle_t handle);
int upc_sync_attempt(upc_handle_t handle);
void upc_synci(void);
int upc_synci_attempt(void);

ATOLL_UPC_END

#endif
