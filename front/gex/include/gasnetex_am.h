// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages with a payload the client holds: Short (arguments only), Medium (payload into a
// buffer of the library), Long (payload into the target's segment, before the handler runs). Every
// call packs its arguments into an array and hands it to one function of the library. All return 0,
// or non-zero only if GEX_FLAG_IMMEDIATE was given and the message would have had to wait, in which
// case nothing has happened. Without it a full queue makes a request poll and wait. Requests may
// not be made in handlers; a request handler may reply once. Spec: "Fixed-payload AM APIs".
#ifndef GASNETEX_AM_H
#define GASNETEX_AM_H

#include "gasnetex_arity.h"
#include "gasnetex_identity.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- limits --------------------------------------------------------------------------------- */

static inline unsigned int gex_AM_MaxArgs(void) { return 16; }

/* Largest payload in bytes towards one peer, or with GEX_RANK_INVALID towards any. With
   GEX_FLAG_AM_PREPARE_LEAST_*: the largest least_payload of the corresponding Prepare. */
size_t gex_AM_MaxRequestMedium(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t* lc_opt,
                               gex_Flags_t flags, unsigned int numargs);
size_t gex_AM_MaxReplyMedium(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t* lc_opt,
                             gex_Flags_t flags, unsigned int numargs);
size_t gex_AM_MaxRequestLong(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t* lc_opt,
                             gex_Flags_t flags, unsigned int numargs);
size_t gex_AM_MaxReplyLong(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t* lc_opt,
                           gex_Flags_t flags, unsigned int numargs);
size_t gex_Token_MaxReplyMedium(gex_Token_t token, const gex_Event_t* lc_opt, gex_Flags_t flags,
                                unsigned int numargs);
size_t gex_Token_MaxReplyLong(gex_Token_t token, const gex_Event_t* lc_opt, gex_Flags_t flags,
                              unsigned int numargs);

/* The size that every peer, number of arguments and option allows. May be asked before start. */
size_t gex_AM_LUBRequestMedium(void);
size_t gex_AM_LUBReplyMedium(void);
size_t gex_AM_LUBRequestLong(void);
size_t gex_AM_LUBReplyLong(void);

/* ---- in a handler --------------------------------------------------------------------------- */

/* Fills the fields asked for and returns which ones are valid (here: all that were asked for). */
gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t* info, gex_TI_t mask);

/* ---- what the calls below pass to the library ----------------------------------------------- */

struct atoll_gex_payload {
  const void* source;
  size_t size;
  void* target; /* Long only */
  gex_Event_t* lc_opt;
};
struct atoll_gex_arguments {
  const gex_AM_Arg_t* values;
  unsigned int count;
  gex_AM_Index_t handler;
  gex_Flags_t flags;
};

int atoll_gex_request_short(gex_TM_t tm, gex_Rank_t rank, const struct atoll_gex_arguments* args);
int atoll_gex_request_medium(gex_TM_t tm, gex_Rank_t rank, const struct atoll_gex_arguments* args,
                             const struct atoll_gex_payload* payload);
int atoll_gex_request_long(gex_TM_t tm, gex_Rank_t rank, const struct atoll_gex_arguments* args,
                           const struct atoll_gex_payload* payload);
int atoll_gex_reply_short(gex_Token_t token, const struct atoll_gex_arguments* args);
int atoll_gex_reply_medium(gex_Token_t token, const struct atoll_gex_arguments* args,
                           const struct atoll_gex_payload* payload);
int atoll_gex_reply_long(gex_Token_t token, const struct atoll_gex_arguments* args,
                         const struct atoll_gex_payload* payload);

/* Declares gex_args (and gex_payload) from the parameters of a call. */
#define ATOLL_GEX_ARGUMENTS(arity, call_flags)                  \
  const gex_AM_Arg_t gex_values[] = {ATOLL_GEX_VALUES_##arity}; \
  struct atoll_gex_arguments gex_args;                          \
  gex_args.values = gex_values;                                 \
  gex_args.count = arity;                                       \
  gex_args.handler = handler;                                   \
  gex_args.flags = call_flags

#define ATOLL_GEX_PAYLOAD(target_address) \
  struct atoll_gex_payload gex_payload;   \
  gex_payload.source = source_addr;       \
  gex_payload.size = nbytes;              \
  gex_payload.target = target_address;    \
  gex_payload.lc_opt = lc_opt

/* ---- the families --------------------------------------------------------------------------- */

#define ATOLL_GEX_REQUEST_SHORT(arity)                                                           \
  static inline int gex_AM_RequestShort##arity(gex_TM_t tm, gex_Rank_t rank,                     \
                                               gex_AM_Index_t handler,                           \
                                               gex_Flags_t flags ATOLL_GEX_PARAMETERS_##arity) { \
    ATOLL_GEX_ARGUMENTS(arity, flags);                                                           \
    return atoll_gex_request_short(tm, rank, &gex_args);                                         \
  }

#define ATOLL_GEX_REQUEST_MEDIUM(arity)                                                     \
  static inline int gex_AM_RequestMedium##arity(                                            \
      gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* source_addr,        \
      size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags ATOLL_GEX_PARAMETERS_##arity) { \
    ATOLL_GEX_ARGUMENTS(arity, flags);                                                      \
    ATOLL_GEX_PAYLOAD(0);                                                                   \
    return atoll_gex_request_medium(tm, rank, &gex_args, &gex_payload);                     \
  }

#define ATOLL_GEX_REQUEST_LONG(arity)                                                              \
  static inline int gex_AM_RequestLong##arity(gex_TM_t tm, gex_Rank_t rank,                        \
                                              gex_AM_Index_t handler, const void* source_addr,     \
                                              size_t nbytes, void* dest_addr, gex_Event_t* lc_opt, \
                                              gex_Flags_t flags ATOLL_GEX_PARAMETERS_##arity) {    \
    ATOLL_GEX_ARGUMENTS(arity, flags);                                                             \
    ATOLL_GEX_PAYLOAD(dest_addr);                                                                  \
    return atoll_gex_request_long(tm, rank, &gex_args, &gex_payload);                              \
  }

#define ATOLL_GEX_REPLY_SHORT(arity)                                                           \
  static inline int gex_AM_ReplyShort##arity(gex_Token_t token, gex_AM_Index_t handler,        \
                                             gex_Flags_t flags ATOLL_GEX_PARAMETERS_##arity) { \
    ATOLL_GEX_ARGUMENTS(arity, flags);                                                         \
    return atoll_gex_reply_short(token, &gex_args);                                            \
  }

#define ATOLL_GEX_REPLY_MEDIUM(arity)                                                    \
  static inline int gex_AM_ReplyMedium##arity(                                           \
      gex_Token_t token, gex_AM_Index_t handler, const void* source_addr, size_t nbytes, \
      gex_Event_t* lc_opt, gex_Flags_t flags ATOLL_GEX_PARAMETERS_##arity) {             \
    ATOLL_GEX_ARGUMENTS(arity, flags);                                                   \
    ATOLL_GEX_PAYLOAD(0);                                                                \
    return atoll_gex_reply_medium(token, &gex_args, &gex_payload);                       \
  }

#define ATOLL_GEX_REPLY_LONG(arity)                                                           \
  static inline int gex_AM_ReplyLong##arity(                                                  \
      gex_Token_t token, gex_AM_Index_t handler, const void* source_addr, size_t nbytes,      \
      void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags ATOLL_GEX_PARAMETERS_##arity) { \
    ATOLL_GEX_ARGUMENTS(arity, flags);                                                        \
    ATOLL_GEX_PAYLOAD(dest_addr);                                                             \
    return atoll_gex_reply_long(token, &gex_args, &gex_payload);                              \
  }

ATOLL_GEX_EACH_ARITY(ATOLL_GEX_REQUEST_SHORT)
ATOLL_GEX_EACH_ARITY(ATOLL_GEX_REQUEST_MEDIUM)
ATOLL_GEX_EACH_ARITY(ATOLL_GEX_REQUEST_LONG)
ATOLL_GEX_EACH_ARITY(ATOLL_GEX_REPLY_SHORT)
ATOLL_GEX_EACH_ARITY(ATOLL_GEX_REPLY_MEDIUM)
ATOLL_GEX_EACH_ARITY(ATOLL_GEX_REPLY_LONG)

/* Without a suffix: the arity is the number of arguments after `flags`. */
#define gex_AM_RequestShort(tm, rank, handler, ...) \
  ATOLL_GEX_JOIN(gex_AM_RequestShort, ATOLL_GEX_COUNT(__VA_ARGS__))(tm, rank, handler, __VA_ARGS__)
#define gex_AM_RequestMedium(tm, rank, handler, source_addr, nbytes, lc_opt, ...) \
  ATOLL_GEX_JOIN(gex_AM_RequestMedium, ATOLL_GEX_COUNT(__VA_ARGS__))              \
  (tm, rank, handler, source_addr, nbytes, lc_opt, __VA_ARGS__)
#define gex_AM_RequestLong(tm, rank, handler, source_addr, nbytes, dest_addr, lc_opt, ...) \
  ATOLL_GEX_JOIN(gex_AM_RequestLong, ATOLL_GEX_COUNT(__VA_ARGS__))                         \
  (tm, rank, handler, source_addr, nbytes, dest_addr, lc_opt, __VA_ARGS__)
#define gex_AM_ReplyShort(token, handler, ...) \
  ATOLL_GEX_JOIN(gex_AM_ReplyShort, ATOLL_GEX_COUNT(__VA_ARGS__))(token, handler, __VA_ARGS__)
#define gex_AM_ReplyMedium(token, handler, source_addr, nbytes, lc_opt, ...) \
  ATOLL_GEX_JOIN(gex_AM_ReplyMedium, ATOLL_GEX_COUNT(__VA_ARGS__))           \
  (token, handler, source_addr, nbytes, lc_opt, __VA_ARGS__)
#define gex_AM_ReplyLong(token, handler, source_addr, nbytes, dest_addr, lc_opt, ...) \
  ATOLL_GEX_JOIN(gex_AM_ReplyLong, ATOLL_GEX_COUNT(__VA_ARGS__))                      \
  (token, handler, source_addr, nbytes, dest_addr, lc_opt, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
