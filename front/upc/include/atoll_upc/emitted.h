/* SPDX-License-Identifier: BSD-3-Clause

   The one header that translated UPC includes: pointers-to-shared, accesses through them, control
   statements, and how a unit joins the program. It declares none of the functions of <upc.h> and
   its companions: translated units declare those themselves. It compiles as C99 and later, with the
   extensions of GNU C that gcc and clang have in every mode. */
#ifndef ATOLL_UPC_EMITTED_H
#define ATOLL_UPC_EMITTED_H

#include <atoll_upc/access.h>
#include <atoll_upc/control.h>
#include <atoll_upc/pointer.h>
#include <atoll_upc/program.h>
#include <atoll_upc/run.h>

#endif
