/* SPDX-License-Identifier: BSD-3-Clause

   The private memory of a process: the sum of its pages that belong to no file, as the kernel
   counts them. */
#ifndef ATOLL_TESTS_COUNT_PRIVATE_MEMORY_H
#define ATOLL_TESTS_COUNT_PRIVATE_MEMORY_H

#include <stdio.h>

/* Prints a line `private BYTES` for memory_test.py; nothing when the kernel does not count them. */
static void tell_private_memory(void) {
  FILE* const list = fopen("/proc/self/smaps_rollup", "r");
  char line[256];
  long kilobytes;
  if (list == NULL) return;
  while (fgets(line, sizeof line, list) != NULL) {
    if (sscanf(line, "Anonymous: %ld", &kilobytes) != 1) continue;
    printf("private %ld\n", kilobytes * 1024);
    fflush(stdout);
  }
  fclose(list);
}

#endif
