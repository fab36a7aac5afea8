/* SPDX-License-Identifier: BSD-3-Clause

   The names with the prefix pshmem_ by which a tool that has replaced a function of shmem.h calls
   the library's own: for each name of the specification a twin that does the same. The handles,
   types and constants are those of shmem.h. */
#ifndef PSHMEM_H
#define PSHMEM_H

#include <shmem.h>

#ifdef __cplusplus
extern "C" {
#endif
ATOLL_SHMEM_DECLARE(pshmem)
ATOLL_SHMEM_DECLARE_OLD(pshmem, pstart_pes, p_my_pe, p_num_pes, pshmalloc, pshfree, pshrealloc,
                        pshmemalign)
#ifdef __cplusplus
}
#endif

#endif
