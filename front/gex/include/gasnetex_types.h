// SPDX-License-Identifier: BSD-3-Clause
//
// The types of the interface. Handles are pointers to objects that the library owns; clients copy
// and compare them freely. Two objects have a first part that inline functions of these headers
// read: a team member (its rank, its size and the routes to its members' segments, see atoll/abi.h)
// and a source descriptor (the buffer). The first part is written before the client sees the
// handle, or by a collective call, and is only read afterwards.
#ifndef GASNETEX_TYPES_H
#define GASNETEX_TYPES_H

#include <atoll/abi.h>

#include <stddef.h>
#include <stdint.h>

#include "gasnet_fwd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- handles -------------------------------------------------------------------------------- */

typedef struct atoll_gex_client* gex_Client_t;
#define GEX_CLIENT_INVALID ((gex_Client_t)(uintptr_t)0)

typedef struct atoll_gex_endpoint* gex_EP_t;
#define GEX_EP_INVALID ((gex_EP_t)(uintptr_t)0)

typedef struct atoll_gex_segment* gex_Segment_t;
#define GEX_SEGMENT_INVALID ((gex_Segment_t)(uintptr_t)0)

/* The kind of a segment's memory. */
typedef struct atoll_gex_kind* gex_MK_t;
#define GEX_MK_INVALID ((gex_MK_t)(uintptr_t)0)
#define GEX_MK_HOST ((gex_MK_t)(uintptr_t)1)
#define GASNET_HAVE_MK_CLASS_MULTIPLE 1
#define GASNET_HAVE_MK_CLASS_CUDA_UVA 1
#define GASNET_HAVE_MK_CLASS_HIP 1
#define GASNET_HAVE_MK_CLASS_ZE 1

typedef struct atoll_gex_token* gex_Token_t;

/* These headers reach the segment bound at rank r by row r of `routes` if r is below inline_size,
   and by row rows[r] if r is below listed_size. One of the two sizes is the team's, or none is. */
struct atoll_gex_team {
  const atoll_route* routes;
  gex_Rank_t inline_size;
  gex_Rank_t listed_size;
  const gex_Rank_t* rows;
  gex_Rank_t size;
  gex_Rank_t rank;
};
typedef struct atoll_gex_team* gex_TM_t;
#define GEX_TM_INVALID ((gex_TM_t)(uintptr_t)0)

struct atoll_gex_srcdesc {
  void* address;
  size_t size;
};
typedef struct atoll_gex_srcdesc* gex_AM_SrcDesc_t;
#define GEX_AM_SRCDESC_NO_OP ((gex_AM_SrcDesc_t)(uintptr_t)0)

/* ---- values --------------------------------------------------------------------------------- */

typedef uint64_t gex_RMA_Value_t;
#define SIZEOF_GEX_RMA_VALUE_T 8

typedef struct {
  void* gex_addr;
  size_t gex_len;
} gex_Memvec_t;

/* A segment of a process, as GASNet-1 describes it. */
typedef struct {
  void* addr;
  uintptr_t size;
} gasnet_seginfo_t;

typedef const struct {
  gex_Rank_t gex_jobrank;
} gex_RankInfo_t;

/* ---- active messages ------------------------------------------------------------------------ */

typedef uint8_t gex_AM_Index_t;
typedef int32_t gex_AM_Arg_t;
#define GEX_AM_INDEX_BASE 128

/* Any handler. In C a function without a prototype takes every handler without a cast. */
#ifdef __cplusplus
typedef void (*gex_AM_Fn_t)();
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
typedef void (*gex_AM_Fn_t)();
#pragma GCC diagnostic pop
#endif

typedef struct {
  gex_AM_Index_t gex_index; /* GEX_AM_INDEX_BASE..255, or 0: the library chooses */
  gex_AM_Fn_t gex_fnptr;
  gex_Flags_t gex_flags;  /* GEX_FLAG_AM_{SHORT,MEDIUM,LONG,MEDLONG} | GEX_FLAG_AM_{REQUEST,...} */
  unsigned int gex_nargs; /* 0..gex_AM_MaxArgs() */
  const void* gex_cdata;  /* for the client; found again by gex_Token_Info() */
  const char* gex_name;   /* used in messages */
} gex_AM_Entry_t;

typedef struct {
  gex_Rank_t gex_srcrank;
  gex_EP_t gex_ep;
  const gex_AM_Entry_t* gex_entry;
  int gex_is_req;
  int gex_is_long;
} gex_Token_Info_t;

typedef unsigned int gex_TI_t;
#define GEX_TI_SRCRANK ((gex_TI_t)1 << 0)
#define GEX_TI_EP ((gex_TI_t)1 << 1)
#define GEX_TI_ENTRY ((gex_TI_t)1 << 2)
#define GEX_TI_IS_REQ ((gex_TI_t)1 << 3)
#define GEX_TI_IS_LONG ((gex_TI_t)1 << 4)
#define GEX_TI_ALL (((gex_TI_t)1 << 5) - 1)

/* ---- event categories ----------------------------------------------------------------------- */

typedef unsigned int gex_EC_t;
#define GEX_EC_GET ((gex_EC_t)1 << 0)
#define GEX_EC_PUT ((gex_EC_t)1 << 1)
#define GEX_EC_AM ((gex_EC_t)1 << 2)
#define GEX_EC_LC ((gex_EC_t)1 << 3)
#define GEX_EC_RMW ((gex_EC_t)1 << 4)
#define GEX_EC_ALL (~(gex_EC_t)0)

/* ---- progress threads ----------------------------------------------------------------------- */

typedef struct {
  const char* gex_device_list;
  unsigned int gex_thread_roles;
  void* (*gex_progress_fn)(void*);
  void* gex_progress_arg;
} gex_ProgressThreadInfo_t;
#define GEX_THREAD_ROLE_RCV (1u << 0)
#define GEX_THREAD_ROLE_SND (1u << 1)

#ifdef __cplusplus
}
#endif

#endif
