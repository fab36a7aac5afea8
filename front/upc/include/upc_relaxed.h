/* SPDX-License-Identifier: BSD-3-Clause

   upc.h, and from here on accesses that say nothing else are relaxed (UPC language specification
   1.3, 7.1). Every inclusion says so again. */
#ifdef __UPC__
#pragma upc relaxed
#endif
#ifndef ATOLL_UPC_UPC_H
#include <upc.h>
#endif
