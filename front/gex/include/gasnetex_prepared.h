// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages with a negotiated payload. Prepare finds out how much can be sent, and without a
// client's buffer offers one of the library's to be filled in place; Commit sends, Cancel gives
// back. A descriptor belongs to the thread that prepared it, one at a time, and between Prepare and
// its end the thread may not communicate. Spec: "Negotiated-payload AM APIs".
#ifndef GASNETEX_PREPARED_H
#define GASNETEX_PREPARED_H

#include "gasnetex_am.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline void* gex_AM_SrcDescAddr(gex_AM_SrcDesc_t sd) { return sd->address; }
static inline size_t gex_AM_SrcDescSize(gex_AM_SrcDesc_t sd) { return sd->size; }

/* GEX_AM_SRCDESC_NO_OP only with GEX_FLAG_IMMEDIATE. Between least_payload and most_payload bytes
   are granted. Without client_buf, lc_opt is null. */
gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                             size_t least_payload, size_t most_payload,
                                             gex_Event_t* lc_opt, gex_Flags_t flags,
                                             unsigned int numargs) ATOLL_GEX_MUST_USE;
gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buf,
                                           size_t least_payload, size_t most_payload,
                                           gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned int numargs) ATOLL_GEX_MUST_USE;
gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                           size_t least_payload, size_t most_payload,
                                           void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned int numargs) ATOLL_GEX_MUST_USE;
gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buf,
                                         size_t least_payload, size_t most_payload, void* dest_addr,
                                         gex_Event_t* lc_opt, gex_Flags_t flags,
                                         unsigned int numargs) ATOLL_GEX_MUST_USE;

int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags);

/* Non-zero only if the flags in `args` have GEX_FLAG_IMMEDIATE and the message would have had to
   wait: the descriptor then stays valid. `target` is null for a Medium. */
int atoll_gex_commit_request_medium(gex_AM_SrcDesc_t sd, const struct atoll_gex_arguments* args,
                                    size_t nbytes);
int atoll_gex_commit_request_long(gex_AM_SrcDesc_t sd, const struct atoll_gex_arguments* args,
                                  size_t nbytes, void* target);
int atoll_gex_commit_reply_medium(gex_AM_SrcDesc_t sd, const struct atoll_gex_arguments* args,
                                  size_t nbytes);
int atoll_gex_commit_reply_long(gex_AM_SrcDesc_t sd, const struct atoll_gex_arguments* args,
                                size_t nbytes, void* target);

/* One arity of both forms: without flags, and "_v2" with them. */
#define ATOLL_GEX_COMMIT_MEDIUM(Kind, kind, arity)                                               \
  static inline void gex_AM_Commit##Kind##Medium##arity(                                         \
      gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes ATOLL_GEX_PARAMETERS_##arity) { \
    ATOLL_GEX_ARGUMENTS(arity, 0);                                                               \
    (void)atoll_gex_commit_##kind##_medium(sd, &gex_args, nbytes);                               \
  }                                                                                              \
  static inline int gex_AM_Commit##Kind##Medium##arity##_v2(                                     \
      gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,                                \
      gex_Flags_t commit_flags ATOLL_GEX_PARAMETERS_##arity) {                                   \
    ATOLL_GEX_ARGUMENTS(arity, commit_flags);                                                    \
    return atoll_gex_commit_##kind##_medium(sd, &gex_args, nbytes);                              \
  }

#define ATOLL_GEX_COMMIT_LONG(Kind, kind, arity)                                   \
  static inline void gex_AM_Commit##Kind##Long##arity(                             \
      gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,                  \
      void* dest_addr ATOLL_GEX_PARAMETERS_##arity) {                              \
    ATOLL_GEX_ARGUMENTS(arity, 0);                                                 \
    (void)atoll_gex_commit_##kind##_long(sd, &gex_args, nbytes, dest_addr);        \
  }                                                                                \
  static inline int gex_AM_Commit##Kind##Long##arity##_v2(                         \
      gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, void* dest_addr, \
      gex_Flags_t commit_flags ATOLL_GEX_PARAMETERS_##arity) {                     \
    ATOLL_GEX_ARGUMENTS(arity, commit_flags);                                      \
    return atoll_gex_commit_##kind##_long(sd, &gex_args, nbytes, dest_addr);       \
  }

#define ATOLL_GEX_COMMITS(arity)                   \
  ATOLL_GEX_COMMIT_MEDIUM(Request, request, arity) \
  ATOLL_GEX_COMMIT_MEDIUM(Reply, reply, arity)     \
  ATOLL_GEX_COMMIT_LONG(Request, request, arity)   \
  ATOLL_GEX_COMMIT_LONG(Reply, reply, arity)

ATOLL_GEX_EACH_ARITY(ATOLL_GEX_COMMITS)

/* Without a suffix: the arity is the number of arguments after the last fixed one. */
#define gex_AM_CommitRequestMedium(sd, handler, ...) \
  ATOLL_GEX_JOIN(gex_AM_CommitRequestMedium, ATOLL_GEX_COUNT(__VA_ARGS__))(sd, handler, __VA_ARGS__)
#define gex_AM_CommitReplyMedium(sd, handler, ...) \
  ATOLL_GEX_JOIN(gex_AM_CommitReplyMedium, ATOLL_GEX_COUNT(__VA_ARGS__))(sd, handler, __VA_ARGS__)
#define gex_AM_CommitRequestLong(sd, handler, nbytes, ...)               \
  ATOLL_GEX_JOIN(gex_AM_CommitRequestLong, ATOLL_GEX_COUNT(__VA_ARGS__)) \
  (sd, handler, nbytes, __VA_ARGS__)
#define gex_AM_CommitReplyLong(sd, handler, nbytes, ...)               \
  ATOLL_GEX_JOIN(gex_AM_CommitReplyLong, ATOLL_GEX_COUNT(__VA_ARGS__)) \
  (sd, handler, nbytes, __VA_ARGS__)
#define gex_AM_CommitRequestMedium_v2(sd, handler, nbytes, ...)                  \
  ATOLL_GEX_JOIN3(gex_AM_CommitRequestMedium, ATOLL_GEX_COUNT(__VA_ARGS__), _v2) \
  (sd, handler, nbytes, __VA_ARGS__)
#define gex_AM_CommitReplyMedium_v2(sd, handler, nbytes, ...)                  \
  ATOLL_GEX_JOIN3(gex_AM_CommitReplyMedium, ATOLL_GEX_COUNT(__VA_ARGS__), _v2) \
  (sd, handler, nbytes, __VA_ARGS__)
#define gex_AM_CommitRequestLong_v2(sd, handler, nbytes, dest_addr, ...)       \
  ATOLL_GEX_JOIN3(gex_AM_CommitRequestLong, ATOLL_GEX_COUNT(__VA_ARGS__), _v2) \
  (sd, handler, nbytes, dest_addr, __VA_ARGS__)
#define gex_AM_CommitReplyLong_v2(sd, handler, nbytes, dest_addr, ...)       \
  ATOLL_GEX_JOIN3(gex_AM_CommitReplyLong, ATOLL_GEX_COUNT(__VA_ARGS__), _v2) \
  (sd, handler, nbytes, dest_addr, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
