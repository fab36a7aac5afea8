// SPDX-License-Identifier: BSD-3-Clause
//
// Client, endpoint, segment and team: the objects of the library. A job has one client; a process
// has the primordial endpoint (index 0) and up to GASNET_MAXEPS - 1 that it makes, each with at
// most one bound segment; there is the team of all ranks and those made from it. Queries are
// allowed anywhere, handlers included, unless said otherwise. Spec: "Operations on gex_Client_t",
// "... gex_Segment_t", "... gex_TM_t", "... gex_EP_t".
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

/* A segment over `length` bytes of the client's memory, or of the library's where `address` is
   null. Not collective. Neighbours reach memory of the library's heap by loads and stores, and
   memory of the client's by copies of the kernel or by messages, for which its owner must poll. The
   kind is GEX_MK_HOST, or one of a device: then the memory is the device's, and only puts and gets,
   contiguous or not, are done there. */
int gex_Segment_Create(gex_Segment_t* segment_p, gex_Client_t client, gex_Addr_t address,
                       uintptr_t length, gex_MK_t kind, gex_Flags_t flags);

/* Ends a segment that no transfer uses; an endpoint it is bound to here has none afterwards. The
   segment of gex_Segment_Attach() cannot be ended. */
void gex_Segment_Destroy(gex_Segment_t segment, gex_Flags_t flags);

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

/* One more endpoint, with the next free index; not collective. Those with GEX_EP_CAPABILITY_AM have
   a table of handlers of their own; what it lacks is looked for in the primordial one's.
   GASNET_ERR_RESOURCE when GASNET_MAXEPS are there. */
int gex_EP_Create(gex_EP_t* ep_p, gex_Client_t client, gex_EP_Capabilities_t capabilities,
                  gex_Flags_t flags);

/* Binds a segment to an endpoint that has none; not collective. Others can reach it once it was
   published to them. */
int gex_EP_BindSegment(gex_EP_t ep, gex_Segment_t segment, gex_Flags_t flags);

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
   its size (0: none is bound, or not published to this process). Answered from what was exchanged
   at attach or when it was published, so always complete at return, and allowed in handlers with
   GEX_FLAG_IMMEDIATE. */
gex_Event_t gex_EP_QueryBoundSegmentNB(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p,
                                       void** localaddr_p, uintptr_t* size_p,
                                       gex_Flags_t flags) ATOLL_GEX_MUST_USE;
int gex_Segment_QueryBound(gex_TM_t tm, gex_Rank_t rank, void** owneraddr_p, void** localaddr_p,
                           uintptr_t* size_p);

/* Tells all members of `tm` of the segments bound to these endpoints of the caller (any number,
   also none). Collective; transfers may begin when it returns. */
int gex_EP_PublishBoundSegment(gex_TM_t tm, gex_EP_t* eps, size_t num_eps, gex_Flags_t flags);

/* ---- team ----------------------------------------------------------------------------------- */

gex_Client_t gex_TM_QueryClient(gex_TM_t tm);
gex_EP_t gex_TM_QueryEP(gex_TM_t tm);
gex_Flags_t gex_TM_QueryFlags(gex_TM_t tm);
void gex_TM_SetCData(gex_TM_t tm, const void* value);
void* gex_TM_QueryCData(gex_TM_t tm);
static inline gex_Rank_t gex_TM_QueryRank(gex_TM_t tm) { return tm->rank; }
static inline gex_Rank_t gex_TM_QuerySize(gex_TM_t tm) { return tm->size; }

/* Makes teams out of a team; collective over it. One per colour, ordered by key, then by rank in
   the parent; a caller with new_tm_p NULL gets none. Scratch memory is accepted and not needed:
   asked for its size (GEX_FLAG_TM_SCRATCH_SIZE_*) the call answers one page, and makes nothing. */
size_t gex_TM_Split(gex_TM_t* new_tm_p, gex_TM_t parent_tm, int color, int key, void* scratch_addr,
                    size_t scratch_size, gex_Flags_t flags);

/* The team of these endpoints, in this order; collective over the parent. Each process is named at
   most once, and all endpoints have the same index. numargs 0: takes part only. */
size_t gex_TM_Create(gex_TM_t* new_tms, size_t num_new_tms, gex_TM_t parent_tm,
                     gex_EP_Location_t* args, size_t numargs, gex_Addr_t* scratch_addrs,
                     size_t scratch_size, gex_Flags_t flags);

/* Ends a team whose operations are complete; collective over it. Non-zero if it had scratch memory
   of the client's, which *scratch_p then names. */
int gex_TM_Destroy(gex_TM_t tm, gex_Memvec_t* scratch_p, gex_Flags_t flags);

/* A name for "that endpoint index in process `rank`", for point-to-point calls only. The call is
   not collective; the name needs no release and is equal for equal arguments. */
gex_TM_t gex_TM_Pair(gex_EP_t local_ep, gex_EP_Index_t remote_ep_index);

/* GEX_RANK_INVALID where that process has no member in the team. */
gex_Rank_t gex_TM_TranslateRankToJobrank(gex_TM_t tm, gex_Rank_t rank);
gex_Rank_t gex_TM_TranslateJobrankToRank(gex_TM_t tm, gex_Rank_t jobrank);
gex_EP_Location_t gex_TM_TranslateRankToEP(gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags);

#ifdef __cplusplus
}
#endif

#endif
