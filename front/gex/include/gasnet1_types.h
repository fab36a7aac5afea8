// SPDX-License-Identifier: BSD-3-Clause
//
// The types and constants of GASNet-1, all of them other names of GASNet-EX's, so that objects of
// one interface can be passed to the other. Spec: GASNet-1, "Types" and "Constants"; GASNet-EX,
// "GASNet-1 compatibility".
#ifndef GASNET1_TYPES_H
#define GASNET1_TYPES_H

#include "gasnetex_identity.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The specification that gasnet.h follows. */
#define GASNET_SPEC_VERSION_MAJOR 1
#define GASNET_SPEC_VERSION_MINOR 8
#define GASNET_VERSION GASNET_SPEC_VERSION_MAJOR

typedef gex_Rank_t gasnet_node_t;
typedef gex_Token_t gasnet_token_t;
typedef gex_AM_Index_t gasnet_handler_t;
typedef gex_AM_Arg_t gasnet_handlerarg_t;

typedef gex_RMA_Value_t gasnet_register_value_t;
#define SIZEOF_GASNET_REGISTER_VALUE_T SIZEOF_GEX_RMA_VALUE_T

typedef gex_Event_t gasnet_handle_t;
#define GASNET_INVALID_HANDLE GEX_EVENT_INVALID

/* As gex_Memvec_t, member by member. */
typedef struct {
  void* addr;
  size_t len;
} gasnet_memvec_t;

/* The team that GASNet-1 calls use: all ranks. Until the client has attached it is an empty team,
   so that inline transfers go to the library, which says what is missing. */
extern gex_TM_t atoll_gex_gasnet1_team;

#ifdef __cplusplus
}
#endif

#endif
