// SPDX-License-Identifier: BSD-3-Clause
//
// The start of a GASNet-1 client, inline because the library must learn for which thread mode the
// calling file was compiled and with which headers. See gasnetex_mode.h. Spec: GASNet-1, "Job
// control interface".
#ifndef GASNET1_INIT_H
#define GASNET1_INIT_H

#include "gasnet1_start.h"
#include "gasnetex_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the library in this process. Once per process; a second time is GASNET_ERR_NOT_INIT. The
   command line is not read: argc and argv may be null. */
static inline int gasnet_init(int* argc, char*** argv) {
  struct atoll_gex_start start;
  (void)argc;
  (void)argv;
  start.client_name = "GASNET1";
  start.flags = GEX_FLAG_USES_GASNET1;
  start.header_version = ATOLL_GEX_HEADER_VERSION;
  start.mode = ATOLL_GEX_MODE;
  return atoll_gex_gasnet1_init(&start);
}

#ifdef __cplusplus
}
#endif

#endif
