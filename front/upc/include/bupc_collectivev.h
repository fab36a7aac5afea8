/* SPDX-License-Identifier: BSD-3-Clause

   Berkeley UPC's collective functions on values: each thread gives one value of type TYPE, and the
   result is a value too. All threads call with the same type, root and operation. Types of
   reductions are numbers. Gathers write THREADS values to private memory; threads that get none
   need not give an address. */
#ifndef ATOLL_UPC_BUPC_COLLECTIVEV_H
#define ATOLL_UPC_BUPC_COLLECTIVEV_H

#include <upc.h>
#include <upc_collective.h>

#define BUPC_COLLECTIVEV_VERSION_MAJOR 1
#define BUPC_COLLECTIVEV_VERSION_MINOR 2

#define ATOLL_UPC_KIND_OF(TYPE)                                      \
  ((unsigned)sizeof(TYPE) * 4u + ((TYPE)0.5F == (TYPE)0 ? 0u : 2u) + \
   ((TYPE) - 1 < (TYPE)0 ? 1u : 0u))

/* Calls FUNCTION with the address of a value of the type. */
#define ATOLL_UPC_OF_VALUE(TYPE, VALUE, FUNCTION, ...)                \
  __extension__({                                                     \
    TYPE atoll_upc_value = (VALUE);                                   \
    (TYPE*)atoll_upc_value_##FUNCTION(&atoll_upc_value, __VA_ARGS__); \
  })

/* The value of one thread, returned on all. */
#define bupc_allv_broadcast(TYPE, value, root) \
  (*ATOLL_UPC_OF_VALUE(TYPE, value, broadcast, sizeof(TYPE), root))
/* Writes all values, in the order of threads, to an address on one thread or on each, and returns
   the address. */
#define bupc_allv_gather(TYPE, value, root, to) \
  ATOLL_UPC_OF_VALUE(TYPE, value, gather, sizeof(TYPE), root, to)
#define bupc_allv_gather_all(TYPE, value, to) \
  ATOLL_UPC_OF_VALUE(TYPE, value, gather, sizeof(TYPE), -1, to)
/* Value i of an array of the root. */
#define bupc_allv_scatter(TYPE, root, from) \
  (*(TYPE*)atoll_upc_value_scatter(sizeof(TYPE), root, from))
/* The value of the thread whose `to` is this thread. */
#define bupc_allv_permute(TYPE, value, to) \
  (*ATOLL_UPC_OF_VALUE(TYPE, value, permute, sizeof(TYPE), to))
/* Combines all values, on one thread or on each; or those of the threads up to this one. */
#define bupc_allv_reduce(TYPE, value, root, op) \
  (*ATOLL_UPC_OF_VALUE(TYPE, value, reduce, ATOLL_UPC_KIND_OF(TYPE), root, op))
#define bupc_allv_reduce_all(TYPE, value, op) \
  (*ATOLL_UPC_OF_VALUE(TYPE, value, reduce, ATOLL_UPC_KIND_OF(TYPE), -1, op))
#define bupc_allv_prefix_reduce(TYPE, value, op) \
  (*ATOLL_UPC_OF_VALUE(TYPE, value, prefix_reduce, ATOLL_UPC_KIND_OF(TYPE), op))

#endif
