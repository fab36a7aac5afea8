// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives that move and combine data. Every member of the team calls with the same root, sizes,
// type and operation; calls on one team come in the same order on all members, and any number may
// be under way. The event is complete when this member's results are there and its buffers may be
// used again. Buffers lie anywhere in local memory; `dst` may equal `src` where the specification
// says so. Handlers may not call these functions. Spec: "Collectives Part II. Data Movement", "Part
// III. Computational". The settings ATOLL_COLL_* choose the algorithm: chapter "Collectives" of
// ARCHITECTURE.md.
#ifndef GASNETEX_COLL_H
#define GASNETEX_COLL_H

#include "gasnetex_event.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* arg2_and_out[i] = arg1[i] OP arg2_and_out[i] for `count` elements. */
typedef void (*gex_Coll_ReduceFn_t)(const void* arg1, void* arg2_and_out, size_t count,
                                    const void* cdata);

/* nbytes at `src` of the root come to `dst` of every member. */
gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                 size_t nbytes, gex_Flags_t flags) ATOLL_GEX_MUST_USE;

/* The vectors of dt_cnt elements at `src` of all members, combined in the order of ranks, come to
   `dst` of the root, or of every member. dt and op are GEX_DT_* and GEX_OP_{ADD,MULT,MIN,MAX} (and
   AND, OR, XOR for integers), or GEX_OP_USER, GEX_OP_USER_NC with user_op. */
gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                   gex_DT_t dt, size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void* user_cdata,
                                   gex_Flags_t flags) ATOLL_GEX_MUST_USE;
gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm, void* dst, const void* src, gex_DT_t dt,
                                   size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void* user_cdata,
                                   gex_Flags_t flags) ATOLL_GEX_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
