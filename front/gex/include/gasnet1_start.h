// SPDX-License-Identifier: BSD-3-Clause
//
// Start of a GASNet-1 client in two collective steps, and its rank and segment afterwards. Between
// gasnet_init() and gasnet_attach() only questions about rank, size, environment and the largest
// segment are allowed; any other call is refused with a message. Any thread may call GASNet after
// the attach, in the mode its files were compiled for; no thread has to be registered. The end is
// gasnet_exit(), which any thread of any rank may call for all. Spec: GASNet-1, "Job control
// interface".
#ifndef GASNET1_START_H
#define GASNET1_START_H

#include "gasnet1_types.h"
#include "gasnetex_layout.h"
#include "gasnetex_objects.h"
#include "gasnetex_start.h"
#include "gasnetex_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handler: 128..255, or 0 for any free index, which is then written here. It takes what comes:
   short, medium or long, request or reply, any number of arguments. */
typedef struct {
  gasnet_handler_t index;
  gex_AM_Fn_t fnptr;
} gasnet_handlerentry_t;

int atoll_gex_gasnet1_init(const struct atoll_gex_start* start);

/* Registers the handlers and attaches a segment of `segsize` bytes, a multiple of GASNET_PAGESIZE
   (0: one page), which may differ from rank to rank. Collective, with a barrier before it returns.
   `minheapoffset` is ignored. */
int gasnet_attach(gasnet_handlerentry_t* table, int numentries, uintptr_t segsize,
                  uintptr_t minheapoffset);

/* The objects of GASNet-EX that the client has; null pointers are skipped. */
void gasnet_QueryGexObjects(gex_Client_t* client_p, gex_EP_t* endpoint_p, gex_TM_t* tm_p,
                            gex_Segment_t* segment_p);

/* Once attached these are two loads; before, the library answers or says what is missing. */
static inline gasnet_node_t gasnet_mynode(void) {
  const gex_TM_t team = atoll_gex_gasnet1_team;
  return ATOLL_LIKELY(team->size != 0) ? team->rank : gex_System_QueryJobRank();
}
static inline gasnet_node_t gasnet_nodes(void) {
  const gex_TM_t team = atoll_gex_gasnet1_team;
  return ATOLL_LIKELY(team->size != 0) ? team->size : gex_System_QueryJobSize();
}

/* GASNet's own name for this process's rank, which programs use although it was never public. */
#define gasneti_mynode (gex_System_QueryJobRank())

#ifdef __cplusplus
}
#endif

#endif
