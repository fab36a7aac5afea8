/* SPDX-License-Identifier: BSD-3-Clause

   Takes, at every rank of an odd number, the addresses at which the ranks of a host map their
   memory, before the program begins. So these ranks map it at other addresses than the others do.
   Loaded before the program, or linked to it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

__attribute__((constructor)) static void occupy(void) {
  static const uintptr_t common_address = (uintptr_t)1 << 45; /* of host_memory.cpp */
  static const size_t bytes = (size_t)1 << 30;
  const char* const rank = getenv("ATOLL_RANK");
  if (rank == NULL || atoi(rank) % 2 == 0) return;
  (void)mmap((void*)common_address, bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}
