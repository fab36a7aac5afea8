/* SPDX-License-Identifier: BSD-3-Clause

   The deprecated place of shmemx.h, which the specification still asks for: programs of the time
   when OpenSHMEM came with a message passing toolkit include it from here. */
#ifndef MPP_SHMEMX_H
#define MPP_SHMEMX_H

#include <shmemx.h>

#endif
