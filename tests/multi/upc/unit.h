/* SPDX-License-Identifier: BSD-3-Clause

   Parts that the tests of this folder share. The tests are written like the translator's output, so
   each registers its static shared objects by a constructor and has atoll_upc_program() as its
   main.

   A test runs on all threads; a check that fails prints one line and makes the thread's exit code
   1. */
#ifndef ATOLL_TESTS_UPC_UNIT_H
#define ATOLL_TESTS_UPC_UNIT_H

#include <atoll_upc/emitted.h>
#include <upc.h>

#include <stdio.h>

/* A static shared object: SHARED_OBJECT(A), and its row of the table. */
#define SHARED_OBJECT(NAME)               \
  __asm__(".comm " #NAME "__offset,8,8"); \
  extern const uint64_t NAME##__offset;
#define SHARED_ROW(NAME, FIXED, TIMES_THREADS, ELEMENT, BLOCK) \
  {#NAME, (uintptr_t)&NAME##__offset, FIXED, TIMES_THREADS, ELEMENT, BLOCK, ELEMENT, 0}
#define REGISTER_UNIT(ROWS, INITIALISE)                                   \
  __attribute__((constructor)) static void register_unit(void) {          \
    const struct atoll_upc_unit unit = {ATOLL_UPC_ABI_VERSION,            \
                                        0,                                \
                                        __FILE__,                         \
                                        ROWS,                             \
                                        sizeof(ROWS) / sizeof((ROWS)[0]), \
                                        INITIALISE,                       \
                                        0};                               \
    atoll_upc_register_unit(&unit);                                       \
  }

extern int failures;

#define EXPECT(condition)                                                                   \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      ++failures;                                                                           \
      printf("thread %d: %s:%d: %s\n", atoll_upc_mythread, __FILE__, __LINE__, #condition); \
    }                                                                                       \
  } while (0)

#endif
