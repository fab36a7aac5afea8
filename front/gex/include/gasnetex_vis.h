// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous put and get: vector (lists of address and length), indexed (lists of addresses of
// one length) and strided (n-dimensional blocks). Strides are in bytes and of any sign; those of a
// source may be 0. Remote memory lies in the bound segment of (tm, rank). To a rank whose memory is
// mapped here a call is a loop of copies and is complete when it returns; all arrays, and the
// source of a put, are free again when any of these returns, so local completion is always
// immediate. Handlers may not call these functions. Blocking and NBI forms return non-zero, NB
// forms GEX_EVENT_NO_OP, only if GEX_FLAG_IMMEDIATE was given and nothing was done. Spec:
// "Vector/Indexed/Strided (VIS)".
#ifndef GASNETEX_VIS_H
#define GASNETEX_VIS_H

#include "gasnetex_identity.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vector --------------------------------------------------------------------------------- */

/* Both lists describe the same number of bytes; entries of length 0 may have any address. */
int gex_VIS_VectorPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                              gex_Memvec_t const dstlist[], size_t srccount,
                              gex_Memvec_t const srclist[], gex_Flags_t flags);
int gex_VIS_VectorPutNBI(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                         gex_Memvec_t const dstlist[], size_t srccount,
                         gex_Memvec_t const srclist[], gex_Flags_t flags);
gex_Event_t gex_VIS_VectorPutNB(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                                gex_Memvec_t const dstlist[], size_t srccount,
                                gex_Memvec_t const srclist[], gex_Flags_t flags) ATOLL_GEX_MUST_USE;

int gex_VIS_VectorGetBlocking(gex_TM_t tm, size_t dstcount, gex_Memvec_t const dstlist[],
                              gex_Rank_t srcrank, size_t srccount, gex_Memvec_t const srclist[],
                              gex_Flags_t flags);
int gex_VIS_VectorGetNBI(gex_TM_t tm, size_t dstcount, gex_Memvec_t const dstlist[],
                         gex_Rank_t srcrank, size_t srccount, gex_Memvec_t const srclist[],
                         gex_Flags_t flags);
gex_Event_t gex_VIS_VectorGetNB(gex_TM_t tm, size_t dstcount, gex_Memvec_t const dstlist[],
                                gex_Rank_t srcrank, size_t srccount, gex_Memvec_t const srclist[],
                                gex_Flags_t flags) ATOLL_GEX_MUST_USE;

/* ---- indexed -------------------------------------------------------------------------------- */

/* dstcount * dstlen == srccount * srclen. */
int gex_VIS_IndexedPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                               void* const dstlist[], size_t dstlen, size_t srccount,
                               void* const srclist[], size_t srclen, gex_Flags_t flags);
int gex_VIS_IndexedPutNBI(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount, void* const dstlist[],
                          size_t dstlen, size_t srccount, void* const srclist[], size_t srclen,
                          gex_Flags_t flags);
gex_Event_t gex_VIS_IndexedPutNB(gex_TM_t tm, gex_Rank_t dstrank, size_t dstcount,
                                 void* const dstlist[], size_t dstlen, size_t srccount,
                                 void* const srclist[], size_t srclen,
                                 gex_Flags_t flags) ATOLL_GEX_MUST_USE;

int gex_VIS_IndexedGetBlocking(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                               gex_Rank_t srcrank, size_t srccount, void* const srclist[],
                               size_t srclen, gex_Flags_t flags);
int gex_VIS_IndexedGetNBI(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                          gex_Rank_t srcrank, size_t srccount, void* const srclist[], size_t srclen,
                          gex_Flags_t flags);
gex_Event_t gex_VIS_IndexedGetNB(gex_TM_t tm, size_t dstcount, void* const dstlist[], size_t dstlen,
                                 gex_Rank_t srcrank, size_t srccount, void* const srclist[],
                                 size_t srclen, gex_Flags_t flags) ATOLL_GEX_MUST_USE;

/* ---- strided -------------------------------------------------------------------------------- */

/* stridelevels dimensions of count[i] elements of elemsz bytes. elemsz 0 or a count of 0: nothing;
   stridelevels 0: one element, and the arrays are not read. */
int gex_VIS_StridedPutBlocking(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                               const ptrdiff_t dststrides[], void* srcaddr,
                               const ptrdiff_t srcstrides[], size_t elemsz, const size_t count[],
                               size_t stridelevels, gex_Flags_t flags);
int gex_VIS_StridedPutNBI(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                          const ptrdiff_t dststrides[], void* srcaddr, const ptrdiff_t srcstrides[],
                          size_t elemsz, const size_t count[], size_t stridelevels,
                          gex_Flags_t flags);
gex_Event_t gex_VIS_StridedPutNB(gex_TM_t tm, gex_Rank_t dstrank, void* dstaddr,
                                 const ptrdiff_t dststrides[], void* srcaddr,
                                 const ptrdiff_t srcstrides[], size_t elemsz, const size_t count[],
                                 size_t stridelevels, gex_Flags_t flags) ATOLL_GEX_MUST_USE;

int gex_VIS_StridedGetBlocking(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                               gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                               size_t elemsz, const size_t count[], size_t stridelevels,
                               gex_Flags_t flags);
int gex_VIS_StridedGetNBI(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                          gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                          size_t elemsz, const size_t count[], size_t stridelevels,
                          gex_Flags_t flags);
gex_Event_t gex_VIS_StridedGetNB(gex_TM_t tm, void* dstaddr, const ptrdiff_t dststrides[],
                                 gex_Rank_t srcrank, void* srcaddr, const ptrdiff_t srcstrides[],
                                 size_t elemsz, const size_t count[], size_t stridelevels,
                                 gex_Flags_t flags) ATOLL_GEX_MUST_USE;

/* ---- peer completion ------------------------------------------------------------------------ */

/* Most bytes that a peer-completion handler can be sent. */
#define GEX_VIS_MAX_PEERCOMPLETION ((size_t)256)

/* Arms the calling thread's next put of this header: when its data is at the peer, the peer's
   handler of this index, registered for medium replies of no arguments, runs there with these
   bytes. A put so armed does not honour GEX_FLAG_IMMEDIATE. Handler 0 disarms. */
void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source_addr,
                                      size_t nbytes, gex_Flags_t flags);

#ifdef __cplusplus
}
#endif

#endif
