/* SPDX-License-Identifier: BSD-3-Clause

   Functions of Berkeley UPC beyond the specification, which programs use. */
#ifndef ATOLL_UPC_BUPC_EXTENSIONS_H
#define ATOLL_UPC_BUPC_EXTENSIONS_H

#include <atoll_upc/shared.h>
#include <stddef.h>

ATOLL_UPC_BEGIN

/* For programs whose main is not UPC: joins the job, before any use of shared objects; all threads
   call it. The second runs `program` and then ends the thread with its result, unless it is null.
   The third ends the thread, as exit() does. */
void bupc_init(int* argc, char*** argv);
void bupc_init_reentrant(int* argc, char*** argv, int (*program)(int, char**));
void bupc_exit(int code);

ATOLL_UPC_END

#endif
