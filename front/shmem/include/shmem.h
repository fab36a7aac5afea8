/* SPDX-License-Identifier: BSD-3-Clause

   OpenSHMEM 1.6. In C11 and later the type-generic names are macros; in C++ they are overloads, an
   extension. Puts and gets of single values and the atomics of integers are compiled into the
   program (atoll_shmem/direct.h) unless ATOLL_SHMEM_OUT_OF_LINE is defined. */
#ifndef SHMEM_H
#define SHMEM_H

#include <atoll_shmem/prototypes.h>
#include <atoll_shmem/types.h>

#ifdef __cplusplus
extern "C" {
#endif
ATOLL_SHMEM_DECLARE(shmem)
ATOLL_SHMEM_DECLARE_OLD(shmem, start_pes, _my_pe, _num_pes, shmalloc, shfree, shrealloc, shmemalign)
#ifdef __cplusplus
}
#endif

#ifndef ATOLL_SHMEM_OUT_OF_LINE
#include <atoll_shmem/direct.h>
#endif

#if defined(__cplusplus)
#include <atoll_shmem/overloads.h>
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include <atoll_shmem/generic.h>
#endif

#endif
