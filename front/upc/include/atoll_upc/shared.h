/* SPDX-License-Identifier: BSD-3-Clause

   How the headers of the library write pointers-to-shared. In UPC they are the language's own; for
   objects of C and C++, which link with UPC, they are the struct by which translated units pass
   them (atoll_upc/pointer.h). So each function is declared once, and both see the same function. */
#ifndef ATOLL_UPC_SHARED_H
#define ATOLL_UPC_SHARED_H

#ifdef __UPC__
#define ATOLL_UPC_TO(TYPE) shared TYPE*
#define ATOLL_UPC_TO_CONST(TYPE) shared const TYPE*
#else
#include <atoll_upc/pointer.h>
#define ATOLL_UPC_TO(TYPE) atoll_upc_pointer
#define ATOLL_UPC_TO_CONST(TYPE) atoll_upc_pointer
#endif

#ifdef __cplusplus
#define ATOLL_UPC_BEGIN extern "C" {
#define ATOLL_UPC_END }
#else
#define ATOLL_UPC_BEGIN
#define ATOLL_UPC_END
#endif

#endif
