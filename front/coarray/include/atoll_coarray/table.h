/* SPDX-License-Identifier: BSD-3-Clause

   The table that the inline code of a Fortran program reads: the place of the routes to the images
   of the current team (atoll/abi.h). The library fills it when it starts, at CHANGE TEAM and at END
   TEAM, and empties it at the end. Inline code that finds no images calls the library, which then
   does the access or says why it cannot. Programs contain the layout of the table and of the
   routes. The number in the symbol's name is that of atoll/abi.h, which is raised when either
   changes, and a program that was compiled with another layout is not loaded.

   Threads: images have one that uses coarrays, as front/coarray says. */
#ifndef ATOLL_COARRAY_TABLE_H
#define ATOLL_COARRAY_TABLE_H

#include <atoll/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The routes of a team whose members are at equal distances in the job: that of image i is
   (i - 1) * route_stride bytes behind that of image 1. Other teams have no images here. */
typedef struct atoll_coarray_table {
  const char* first_route;
  ptrdiff_t route_stride;
  char* heap_base; /* of this image's part; a coarray has the same distance from it on all images */
  uint32_t images;
} atoll_coarray_table;

#define ATOLL_COARRAY_TEXT_OF(number) #number
#define ATOLL_COARRAY_SYMBOL(number) "atoll_coarray_direct_" ATOLL_COARRAY_TEXT_OF(number)
extern atoll_coarray_table atoll_coarray_direct __asm__(ATOLL_COARRAY_SYMBOL(ATOLL_ABI_VERSION));

#ifdef __cplusplus
}
#endif

#endif
