/* SPDX-License-Identifier: BSD-3-Clause

   The deprecated place of shmem.h, which the specification still asks for: programs of the time
   when OpenSHMEM came with a message passing toolkit include it from here. */
#ifndef MPP_SHMEM_H
#define MPP_SHMEM_H

#include <shmem.h>

#endif
