/* SPDX-License-Identifier: BSD-3-Clause

   Castability (UPC optional library specification 1.3, 7.7): all shared memory of threads whose
   memory is mapped in this process, which are those of the same host. */
#ifndef ATOLL_UPC_CASTABLE_H
#define ATOLL_UPC_CASTABLE_H

#include <atoll_upc/shared.h>
#include <stddef.h>

ATOLL_UPC_BEGIN

#define UPC_CASTABLE_ALL_ALLOC 1
#define UPC_CASTABLE_GLOBAL_ALLOC 2
#define UPC_CASTABLE_ALLOC 4
#define UPC_CASTABLE_STATIC 8
#define UPC_CASTABLE_ALL 15

typedef struct {
  int guaranteedCastable;
  int probablyCastable;
} upc_thread_info_t;

/* A private pointer to the object, for this thread while the object lives; null for a null pointer
   and where this thread cannot reach it. */
void* upc_cast(ATOLL_UPC_TO_CONST(void) ptr);

/* The memory of a thread that upc_cast reaches from this thread. */
upc_thread_info_t upc_thread_info(size_t threadId);

ATOLL_UPC_END

#endif
