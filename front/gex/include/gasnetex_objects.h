// SPDX-License-Identifier: BSD-3-Clause
//
// Client, endpoint, segment and team: asking about the objects of the library. A job has one
// client, one endpoint per process (index 0), at most one bound segment per endpoint, and the team
// of all ranks. Queries are allowed anywhere, handlers included, unless said otherwise. Spec:
// "Operations on gex_Client_t", "... gex_Segment_t", "... gex_TM_t", "... gex_EP_t".
#ifndef GASNETEX_OBJECTS_H
#define GASNETEX_OBJECTS_H

#include "gasnetex_identity.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- client --------------------------------------------------------------------------------- */

gex_Flags_t gex_Client_QueryFlags(gex_Client_t client);
const char* gex_Client_QueryName(gex_Client_t client);
void gex_Client_SetCData(gex_Client_t client, const void* value);
void* gex_Client_QueryCData(gex_Client_t client);

/* ---- segment -------------------------------------------------------------------------------- */

/* Makes this process's segment and binds it to the endpoint of `tm`, the team of all. Collective,
   with a barrier before it returns; `size`, in bytes, is a multiple of GASNET_PAGESIZE and may
   differ from rank to rank. Once per process. */
int gex_Segment_Attach(gex_Segment_t* segment_p, gex_TM_t tm, uintptr_t size);

gex_Client_t gex_Segment_QueryClient(gex_Segment_t segment);
gex_Flags_t gex_Segment_QueryFlags(gex_Segment_t segment);
void* gex_Segment_QueryAddr(gex_Segment_t segment);
uintptr_t gex_Segment_QuerySize(gex_Segment_t segment);
void gex_Segment_SetCData(gex_Segment_t segment, const void* value);
void* gex_Segment_QueryCData(gex_Segment_t segment);

/* The largest segment this process may attach, and the least of all processes' answers. */
uintptr_t gasnet_getMaxLocalSegmentSize(void);
uintptr_t gasnet_getMaxGlobalSegmentSize(void);

/* ---- endpoint ------------------------------------------------------------------------------- */

gex_Client_t gex_EP_QueryClient(gex_EP_t ep);
gex_Flags_t gex_EP_QueryFlags(gex_EP_t ep);
gex_Segment_t gex_EP_QuerySegment(gex_EP_t ep);
gex_EP_Index_t gex_EP_QueryIndex(gex_EP_t ep);
void gex_EP_SetCData(gex_EP_t ep, const void* value);
void* gex_EP_QueryCData(gex_EP_t ep);

/* Adds handlers to the endpoint's table; not collective. Entries with index 0 get the highest free
   index, in order, after the fixed ones have been placed. */
int gex_EP_RegisterHandlers(gex_EP_t ep, gex_AM_Entry_t* table, size_t numentries);

/* The bound segment of any endpoint: its address there, its address here (null if not mapped) and
   its size (0: none is bound). Answered from what was exchanged at attach, so always complete at
   return, and allowed in handlers with GEX_FLAG_IMMEDIATE. */
gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p,
                                       void** localaddr_p, uintptr_t* size_p,
                                       gex_Flags_t flags) ATOLL_GEX_MUST_USE;
int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p, void** localaddr_p,
                           uintptr_t* size_p);

/* Attached segments are known everywhere already: checks its arguments, communicates nothing. */
int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t num_eps, gex_Flags_t flags);

/* ---- team ----------------------------------------------------------------------------------- */

gex_Client_t gex_TM_QueryClient(gex_TM_t tm);
gex_EP_t gex_TM_QueryEP(gex_TM_t tm);
gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm);
void gex_TM_SetCData(gex_TM_t tm, const void* value);
void* gex_TM_QueryCData(gex_TM_t tm);
static inline gex_Rank_t gex_TM_QueryRank(gex_TM_t tm) { return tm->rank; }
static inline gex_Rank_t gex_TM_QuerySize(gex_TM_t tm) { return tm->size; }

/* A name for "that endpoint index in process `rank`", for point-to-point calls only. */
gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index);

gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank);
gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank);
gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags);

#ifdef __cplusplus
}
#endif

#endif
