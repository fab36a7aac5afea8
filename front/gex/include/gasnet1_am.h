// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages of GASNet-1. The calls carry their number of arguments, 0 to 16, in their names
// and return GASNET_OK. The payload has been taken when a call returns, also that of LongAsync. A
// request to a full queue polls and waits; a handler of a request may reply once.
// Spec: GASNet-1, "Active message interface".
#ifndef GASNET1_AM_H
#define GASNET1_AM_H

#include "gasnet1_types.h"
#include "gasnetex_am.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- limits and the source ------------------------------------------------------------------ */

static inline size_t gasnet_AMMaxArgs(void) { return gex_AM_MaxArgs(); }
static inline size_t gasnet_AMMaxMedium(void) {
  const size_t request = gex_AM_LUBRequestMedium();
  const size_t reply = gex_AM_LUBReplyMedium();
  return request < reply ? request : reply;
}
static inline size_t gasnet_AMMaxLongRequest(void) { return gex_AM_LUBRequestLong(); }
static inline size_t gasnet_AMMaxLongReply(void) { return gex_AM_LUBReplyLong(); }

/* The sender of the message that this handler runs for. */
static inline int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* srcindex) {
  gex_Token_Info_t info;
  (void)gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  *srcindex = info.gex_srcrank;
  return GASNET_OK;
}

/* The team of all ranks. Ends the program with a message when the client has not attached. */
void atoll_gex_gasnet1_refuse(void) __attribute__((noreturn));
static inline gex_TM_t atoll_gex_gasnet1_all(void) {
  const gex_TM_t team = atoll_gex_gasnet1_team;
  if (!ATOLL_LIKELY(team->size != 0)) atoll_gex_gasnet1_refuse();
  return team;
}

/* ---- the families --------------------------------------------------------------------------- */

#define ATOLL_GEX_GASNET1_SHORT(arity)                                               \
  static inline int gasnet_AMRequestShort##arity(                                    \
      gasnet_node_t dest, gasnet_handler_t handler ATOLL_GEX_PARAMETERS_##arity) {   \
    ATOLL_GEX_ARGUMENTS(arity, 0);                                                   \
    return atoll_gex_request_short(atoll_gex_gasnet1_all(), dest, &gex_args);        \
  }                                                                                  \
  static inline int gasnet_AMReplyShort##arity(                                      \
      gasnet_token_t token, gasnet_handler_t handler ATOLL_GEX_PARAMETERS_##arity) { \
    ATOLL_GEX_ARGUMENTS(arity, 0);                                                   \
    return atoll_gex_reply_short(token, &gex_args);                                  \
  }

#define ATOLL_GEX_GASNET1_PAYLOAD(target_address) \
  gex_Event_t* const lc_opt = GEX_EVENT_NOW;      \
  ATOLL_GEX_PAYLOAD(target_address)

#define ATOLL_GEX_GASNET1_MEDIUM(arity)                                                         \
  static inline int gasnet_AMRequestMedium##arity(gasnet_node_t dest, gasnet_handler_t handler, \
                                                  const void* source_addr,                      \
                                                  size_t nbytes ATOLL_GEX_PARAMETERS_##arity) { \
    ATOLL_GEX_ARGUMENTS(arity, 0);                                                              \
    ATOLL_GEX_GASNET1_PAYLOAD(0);                                                               \
    return atoll_gex_request_medium(atoll_gex_gasnet1_all(), dest, &gex_args, &gex_payload);    \
  }                                                                                             \
  static inline int gasnet_AMReplyMedium##arity(gasnet_token_t token, gasnet_handler_t handler, \
                                                const void* source_addr,                        \
                                                size_t nbytes ATOLL_GEX_PARAMETERS_##arity) {   \
    ATOLL_GEX_ARGUMENTS(arity, 0);                                                              \
    ATOLL_GEX_GASNET1_PAYLOAD(0);                                                               \
    return atoll_gex_reply_medium(token, &gex_args, &gex_payload);                              \
  }

#define ATOLL_GEX_GASNET1_REQUEST_LONG(name, arity)                                        \
  static inline int name##arity(gasnet_node_t dest, gasnet_handler_t handler,              \
                                const void* source_addr, size_t nbytes,                    \
                                void* dest_addr ATOLL_GEX_PARAMETERS_##arity) {            \
    ATOLL_GEX_ARGUMENTS(arity, 0);                                                         \
    ATOLL_GEX_GASNET1_PAYLOAD(dest_addr);                                                  \
    return atoll_gex_request_long(atoll_gex_gasnet1_all(), dest, &gex_args, &gex_payload); \
  }

#define ATOLL_GEX_GASNET1_REPLY_LONG(arity)                                                   \
  static inline int gasnet_AMReplyLong##arity(gasnet_token_t token, gasnet_handler_t handler, \
                                              const void* source_addr, size_t nbytes,         \
                                              void* dest_addr ATOLL_GEX_PARAMETERS_##arity) { \
    ATOLL_GEX_ARGUMENTS(arity, 0);                                                            \
    ATOLL_GEX_GASNET1_PAYLOAD(dest_addr);                                                     \
    return atoll_gex_reply_long(token, &gex_args, &gex_payload);                              \
  }

#define ATOLL_GEX_GASNET1_LONG(arity)                              \
  ATOLL_GEX_GASNET1_REQUEST_LONG(gasnet_AMRequestLong, arity)      \
  ATOLL_GEX_GASNET1_REQUEST_LONG(gasnet_AMRequestLongAsync, arity) \
  ATOLL_GEX_GASNET1_REPLY_LONG(arity)

ATOLL_GEX_EACH_ARITY(ATOLL_GEX_GASNET1_SHORT)
ATOLL_GEX_EACH_ARITY(ATOLL_GEX_GASNET1_MEDIUM)
ATOLL_GEX_EACH_ARITY(ATOLL_GEX_GASNET1_LONG)

#ifdef __cplusplus
}
#endif

#endif
