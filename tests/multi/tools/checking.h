/* SPDX-License-Identifier: BSD-3-Clause

   The tools header and a check that ends the program with the place. Plain C99 that is C++ too:
   every program here is compiled as both, with and without threads. */
#ifndef TESTS_MULTI_TOOLS_CHECKING_H
#define TESTS_MULTI_TOOLS_CHECKING_H

#include <gasnet_tools.h>

#include <string.h>

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

#endif
