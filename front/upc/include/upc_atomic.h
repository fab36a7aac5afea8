/* SPDX-License-Identifier: BSD-3-Clause

   Atomic memory operations (UPC optional library specification 1.3, 7.6). A domain names a type and
   a set of operations; while it is used on an object, nothing else changes that. An operation that
   the domain or the type does not have ends the job with a message. */
#ifndef ATOLL_UPC_ATOMIC_H
#define ATOLL_UPC_ATOMIC_H

#include <atoll_upc/shared.h>
#include <upc_types.h>

ATOLL_UPC_BEGIN

/* Further operations, 7.6.3. */
#define UPC_GET 2048
#define UPC_SET 4096
#define UPC_CSWAP 8192
#define UPC_SUB 16384
#define UPC_INC 32768
#define UPC_DEC 65536

#ifdef __UPC__
typedef shared struct atoll_upc_atomic_domain upc_atomicdomain_t;
#define ATOLL_UPC_ATOMIC_DOMAIN upc_atomicdomain_t*
#else
#define ATOLL_UPC_ATOMIC_DOMAIN atoll_upc_pointer
#endif

/* Hints are ignored. */
typedef int upc_atomichint_t;
#define UPC_ATOMIC_HINT_DEFAULT 0
#define UPC_ATOMIC_HINT_LATENCY 1
#define UPC_ATOMIC_HINT_THROUGHPUT 2
#define UPC_ATMOIC_HINT_THROUGHPUT UPC_ATOMIC_HINT_THROUGHPUT /* as the specification spells it */

/* The first makes a domain for UPC_INT, UINT, LONG, ULONG, INT32, UINT32, INT64, UINT64, FLOAT,
   DOUBLE or PTS; the second frees it. Both are collective. */
ATOLL_UPC_ATOMIC_DOMAIN upc_all_atomicdomain_alloc(upc_type_t type, upc_op_t ops,
                                                   upc_atomichint_t hints);
void upc_all_atomicdomain_free(ATOLL_UPC_ATOMIC_DOMAIN ptr);

/* Performs `op` on *target, and stores the previous value in *fetch_ptr unless that is null.
   Complete for all threads on return. The strict form is a strict access. */
void upc_atomic_strict(ATOLL_UPC_ATOMIC_DOMAIN domain, void* fetch_ptr, upc_op_t op,
                       ATOLL_UPC_TO(void) target, const void* operand1, const void* operand2);
void upc_atomic_relaxed(ATOLL_UPC_ATOMIC_DOMAIN domain, void* fetch_ptr, upc_op_t op,
                        ATOLL_UPC_TO(void) target, const void* operand1, const void* operand2);

/* Whether the processor does such an operation itself: 1, or 0. */
int upc_atomic_isfast(upc_type_t type, upc_op_t ops, ATOLL_UPC_TO(void) addr);

ATOLL_UPC_END

#endif
