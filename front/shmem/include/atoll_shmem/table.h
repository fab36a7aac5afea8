/* SPDX-License-Identifier: BSD-3-Clause

   The part of the library that inline code reads (atoll_shmem/direct.h): the two ranges of
   symmetric addresses of this PE, each with the routes to the same range of other PEs. The library
   fills the table at initialization and empties it at finalization. Its layout is part of what
   programs contain; it changes together with ATOLL_ABI_VERSION. */
#ifndef ATOLL_SHMEM_TABLE_H
#define ATOLL_SHMEM_TABLE_H

#include <atoll/abi.h>

struct atoll_shmem_range {
  uintptr_t base;
  size_t bytes;
  const atoll_route* routes;
};

struct atoll_shmem_table {
  struct atoll_shmem_range heap;
  struct atoll_shmem_range data;
  unsigned pes; /* 0: all calls go to the library */
};

#ifdef __cplusplus
extern "C" {
#endif
extern struct atoll_shmem_table atoll_shmem_direct;
#ifdef __cplusplus
}
#endif

#endif
