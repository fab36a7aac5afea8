// SPDX-License-Identifier: BSD-3-Clause
//
// Where the segments and the processes of the job are, in tables that the client provides, as
// GASNet-1 gives them and GASNet-EX keeps. Answered from what was exchanged at attach: nothing here
// communicates. Spec: GASNet-1, "Job environment queries".
#ifndef GASNETEX_LAYOUT_H
#define GASNETEX_LAYOUT_H

#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of a process's host and of its neighbourhood, both from 0; and what to add to an address
   in its segment to reach it from here, if it is a neighbour's. */
typedef struct {
  gex_Rank_t host;
  gex_Rank_t supernode;
  uintptr_t offset;
} gasnet_nodeinfo_t;

/* Fill `table` for the first `numentries` job ranks: the segment (its address there and its size in
   bytes, 0 without one), or the place. GASNET_OK, or GASNET_ERR_BAD_ARG. */
int gasnet_getSegmentInfo(gasnet_seginfo_t* table, int numentries);
int gasnet_getNodeInfo(gasnet_nodeinfo_t* table, int numentries);

/* When it is not null, gasnet_attach() calls it with this process's new segment. */
extern void (*gasnet_client_attach_hook)(void* address, uintptr_t size);

#ifdef __cplusplus
}
#endif

#endif
