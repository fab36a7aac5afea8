/* SPDX-License-Identifier: BSD-3-Clause

   A tool that is loaded before the library: it replaces three functions, counts their calls, and
   calls the library by the pshmem_ names. One of the functions is inlined where there is no tool.
 */
#ifndef ATOLL_SHMEM_OUT_OF_LINE
#define ATOLL_SHMEM_OUT_OF_LINE
#endif
#include <pshmem.h>

#include <stdio.h>

static int puts_of_one, barriers, allocations;

void shmem_long_p(long* dest, long value, int pe) {
  ++puts_of_one;
  pshmem_long_p(dest, value, pe);
}

void shmem_barrier_all(void) {
  ++barriers;
  pshmem_barrier_all();
}

void* shmem_malloc(size_t size) {
  ++allocations;
  return pshmem_malloc(size);
}

void shmem_finalize(void) {
  printf("%d puts of one, %d barriers, %d allocation\n", puts_of_one, barriers, allocations);
  pshmem_finalize();
}
