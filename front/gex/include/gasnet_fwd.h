// SPDX-License-Identifier: BSD-3-Clause
//
// The plain constants and scalar types of the GASNet-EX interface, and nothing that needs the
// library: a client may include this header in its own public headers. The values of constants are
// ours to choose (the specification fixes only their meaning); two flags that can be passed to the
// same call never share a bit. Spec: "The gasnet_fwd.h header".
#ifndef GASNET_FWD_H
#define GASNET_FWD_H

#include <stdint.h>

/* ---- ranks and endpoints -------------------------------------------------------------------- */

typedef uint32_t gex_Rank_t;
#define GEX_RANK_INVALID (~(gex_Rank_t)0)

typedef uint16_t gex_EP_Index_t;
typedef struct {
  gex_Rank_t gex_rank;
  gex_EP_Index_t gex_ep_index;
} gex_EP_Location_t;

typedef uint32_t gex_EP_Capabilities_t;
#define GEX_EP_CAPABILITY_RMA ((gex_EP_Capabilities_t)1u << 0)
#define GEX_EP_CAPABILITY_AM ((gex_EP_Capabilities_t)1u << 1)
#define GEX_EP_CAPABILITY_VIS ((gex_EP_Capabilities_t)1u << 2)
#define GEX_EP_CAPABILITY_COLL ((gex_EP_Capabilities_t)1u << 3)
#define GEX_EP_CAPABILITY_AD ((gex_EP_Capabilities_t)1u << 4)
#define GEX_EP_CAPABILITY_ALL (((gex_EP_Capabilities_t)1u << 5) - 1)

/* An address, or with the proper flags an offset. */
typedef void* gex_Addr_t;

/* ---- events --------------------------------------------------------------------------------- */

typedef struct atoll_gex_event* gex_Event_t;
#define GEX_EVENT_INVALID ((gex_Event_t)(uintptr_t)0) /* complete already */
#define GEX_EVENT_NO_OP ((gex_Event_t)(uintptr_t)1)   /* refused (GEX_FLAG_IMMEDIATE) */

/* Inputs in place of the address of an event. */
#define GEX_EVENT_NOW ((gex_Event_t*)(uintptr_t)1)
#define GEX_EVENT_DEFER ((gex_Event_t*)(uintptr_t)2)
#define GEX_EVENT_GROUP ((gex_Event_t*)(uintptr_t)3)

/* ---- flags ---------------------------------------------------------------------------------- */

typedef uint32_t gex_Flags_t;

/* Starting a communication. */
#define GEX_FLAG_IMMEDIATE (1u << 0)
#define GEX_FLAG_SELF_SEG_UNKNOWN (1u << 3)
#define GEX_FLAG_SELF_SEG_SOME (1u << 4)
#define GEX_FLAG_SELF_SEG_BOUND (1u << 5)
#define GEX_FLAG_SELF_SEG_OFFSET (1u << 6)
#define GEX_FLAG_PEER_SEG_UNKNOWN (1u << 7)
#define GEX_FLAG_PEER_SEG_SOME (1u << 8)
#define GEX_FLAG_PEER_SEG_BOUND (1u << 9)
#define GEX_FLAG_PEER_SEG_OFFSET (1u << 10)
#define GEX_FLAG_ENABLE_LEAF_LC (1u << 13)
#define GEX_FLAG_PEER_NEVER_SELF (1u << 14)
#define GEX_FLAG_PEER_NEVER_NBRHD (1u << 15)
#define GEX_FLAG_RANK_IS_JOBRANK (1u << 16)
#define GEX_FLAG_LC_COPY_YES (1u << 17) /* hints, and nothing more */
#define GEX_FLAG_LC_COPY_NO (1u << 18)

/* Payload limits of negotiated active messages: gex_AM_Max*() only. */
#define GEX_FLAG_AM_PREPARE_LEAST_CLIENT (1u << 11)
#define GEX_FLAG_AM_PREPARE_LEAST_ALLOC (1u << 12)

/* Remote atomics: on one operation, and when a domain is made. */
#define GEX_FLAG_AD_REL (1u << 1)
#define GEX_FLAG_AD_ACQ (1u << 2)
#define GEX_FLAG_AD_MY_RANK (1u << 11)
#define GEX_FLAG_AD_MY_NBRHD (1u << 12)
#define GEX_FLAG_AD_FAVOR_MY_RANK (1u << 0)
#define GEX_FLAG_AD_FAVOR_MY_NBRHD (1u << 1)
#define GEX_FLAG_AD_FAVOR_REMOTE (1u << 2)

/* Registering an active-message handler: one of each group. */
#define GEX_FLAG_AM_SHORT (1u << 0)
#define GEX_FLAG_AM_MEDIUM (1u << 1)
#define GEX_FLAG_AM_LONG (1u << 2)
#define GEX_FLAG_AM_MEDLONG (GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_LONG)
#define GEX_FLAG_AM_REQUEST (1u << 3)
#define GEX_FLAG_AM_REPLY (1u << 4)
#define GEX_FLAG_AM_REQREP (GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_REPLY)

/* gex_Client_Init(). */
#define GEX_FLAG_USES_GASNET1 (1u << 0)
#define GEX_FLAG_DEFER_THREADS (1u << 1)

/* Making and destroying teams. */
#define GEX_FLAG_TM_SCRATCH_SIZE_MIN (1u << 0)
#define GEX_FLAG_TM_SCRATCH_SIZE_RECOMMENDED (1u << 1)
#define GEX_FLAG_TM_GLOBAL_SCRATCH (1u << 2)
#define GEX_FLAG_TM_LOCAL_SCRATCH (1u << 3)
#define GEX_FLAG_TM_SYMMETRIC_SCRATCH (1u << 4)
#define GEX_FLAG_TM_NO_SCRATCH (1u << 5)
#define GEX_FLAG_SCRATCH_SEG_OFFSET (1u << 6)
#define GEX_FLAG_GLOBALLY_QUIESCED (1u << 7)

/* Hints when an endpoint is made. */
#define GEX_FLAG_HINT_ACCEL_AD (1u << 0)
#define GEX_FLAG_HINT_ACCEL_COLL (1u << 1)
#define GEX_FLAG_HINT_ACCEL_ALL (GEX_FLAG_HINT_ACCEL_AD | GEX_FLAG_HINT_ACCEL_COLL)

/* ---- data types and operations of atomics and reductions ------------------------------------ */

/* Each type is one bit, so that a set of types is their union. */
typedef uint32_t gex_DT_t;
#define GEX_DT_I32 (1 << 0)
#define GEX_DT_U32 (1 << 1)
#define GEX_DT_I64 (1 << 2)
#define GEX_DT_U64 (1 << 3)
#define GEX_DT_FLT (1 << 4)
#define GEX_DT_DBL (1 << 5)
#define GEX_DT_USER (1 << 6)

/* Each operation is one bit; the fetching form lies ATOLL_GEX_OP_FETCH bits above the plain one. */
#define ATOLL_GEX_OP_FETCH 14
typedef uint32_t gex_OP_t;
#define GEX_OP_AND (1 << 0)
#define GEX_OP_OR (1 << 1)
#define GEX_OP_XOR (1 << 2)
#define GEX_OP_ADD (1 << 3)
#define GEX_OP_SUB (1 << 4)
#define GEX_OP_MULT (1 << 5)
#define GEX_OP_MIN (1 << 6)
#define GEX_OP_MAX (1 << 7)
#define GEX_OP_INC (1 << 8)
#define GEX_OP_DEC (1 << 9)
#define GEX_OP_SET (1 << 10)
#define GEX_OP_CAS (1 << 11)
#define GEX_OP_GET (1 << 12)
#define GEX_OP_USER (1 << 13)
#define GEX_OP_FAND (GEX_OP_AND << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FOR (GEX_OP_OR << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FXOR (GEX_OP_XOR << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FADD (GEX_OP_ADD << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FSUB (GEX_OP_SUB << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FMULT (GEX_OP_MULT << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FMIN (GEX_OP_MIN << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FMAX (GEX_OP_MAX << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FINC (GEX_OP_INC << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FDEC (GEX_OP_DEC << ATOLL_GEX_OP_FETCH)
#define GEX_OP_SWAP (GEX_OP_SET << ATOLL_GEX_OP_FETCH)
#define GEX_OP_FCAS (GEX_OP_CAS << ATOLL_GEX_OP_FETCH)
#define GEX_OP_CSWAP GEX_OP_FCAS
#define GEX_OP_USER_NC (1 << 26)
#define GEX_OP_TO_FETCHING(op) ((op) << ATOLL_GEX_OP_FETCH)
#define GEX_OP_TO_NONFETCHING(op) ((op) >> ATOLL_GEX_OP_FETCH)

#endif
