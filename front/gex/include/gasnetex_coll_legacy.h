// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives that clients of GASNet-1 knew, as GASNet-EX keeps them: one image per process, a
// team handle that is a gex_TM_t, events for handles. Every call states when data may move: with
// IN_NOSYNC or IN_MYSYNC a member's memory is used once that member has called, with IN_ALLSYNC
// once all have; a call or its event completes with OUT_NOSYNC or OUT_MYSYNC when this member's
// results are there and its buffers are free, with OUT_ALLSYNC when those of all are. Calls on one
// team come in the same order on all members, with equal flags. Handlers may not call these
// functions.
#ifndef GASNETEX_COLL_LEGACY_H
#define GASNETEX_COLL_LEGACY_H

#include "gasnetex_event.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One IN flag and one OUT flag; the others are accepted. */
#define GASNET_COLL_IN_NOSYNC (1 << 0)
#define GASNET_COLL_IN_MYSYNC (1 << 1)
#define GASNET_COLL_IN_ALLSYNC (1 << 2)
#define GASNET_COLL_OUT_NOSYNC (1 << 3)
#define GASNET_COLL_OUT_MYSYNC (1 << 4)
#define GASNET_COLL_OUT_ALLSYNC (1 << 5)
#define GASNET_COLL_SYNC_FLAG_MASK 0x3F
#define GASNET_COLL_LOCAL (1 << 7) /* addresses are those of the caller; the only kind there is */
#define GASNET_COLL_FIXED_THREADS_PER_NODE (1 << 9)
#define GASNET_COLL_DST_IN_SEGMENT (1 << 10)
#define GASNET_COLL_SRC_IN_SEGMENT (1 << 11)
#define GASNET_COLL_DISABLE_AUTOTUNE (1 << 18)
#define GASNET_COLL_NO_IMAGES (1 << 19)

typedef uint32_t gasnet_image_t; /* the rank in the team */

typedef gex_Event_t gasnet_coll_handle_t;
#define GASNET_COLL_INVALID_HANDLE GEX_EVENT_INVALID

typedef gex_TM_t gasnet_team_handle_t;
gasnet_team_handle_t atoll_gex_team_all(void);
#define GASNET_TEAM_ALL (atoll_gex_team_all())

/* ---- data ----------------------------------------------------------------------------------- */

/* nbytes at `src` of the image come to `dst` of every member. */
gex_Event_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                                     const void* src, size_t nbytes, int flags) ATOLL_GEX_MUST_USE;
void gasnet_coll_broadcast(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                           const void* src, size_t nbytes, int flags);

/* Block i of nbytes at `src` of the image comes to `dst` of member i. */
gex_Event_t gasnet_coll_scatter_nb(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                                   const void* src, size_t nbytes, int flags) ATOLL_GEX_MUST_USE;
void gasnet_coll_scatter(gasnet_team_handle_t team, void* dst, gasnet_image_t srcimage,
                         const void* src, size_t nbytes, int flags);

/* nbytes at `src` of member i come to block i at `dst` of the image. */
gex_Event_t gasnet_coll_gather_nb(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,
                                  const void* src, size_t nbytes, int flags) ATOLL_GEX_MUST_USE;
void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage, void* dst,
                        const void* src, size_t nbytes, int flags);

/* nbytes at `src` of member i come to block i at `dst` of every member. */
gex_Event_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team, void* dst, const void* src,
                                      size_t nbytes, int flags) ATOLL_GEX_MUST_USE;
void gasnet_coll_gather_all(gasnet_team_handle_t team, void* dst, const void* src, size_t nbytes,
                            int flags);

/* Block j of nbytes at `src` of member i comes to block i at `dst` of member j. */
gex_Event_t gasnet_coll_exchange_nb(gasnet_team_handle_t team, void* dst, const void* src,
                                    size_t nbytes, int flags) ATOLL_GEX_MUST_USE;
void gasnet_coll_exchange(gasnet_team_handle_t team, void* dst, const void* src, size_t nbytes,
                          int flags);

#define gasnet_coll_try_sync(event) gex_Event_Test(event)
#define gasnet_coll_try_sync_some(events, count) gex_Event_TestSome(events, count, 0)
#define gasnet_coll_try_sync_all(events, count) gex_Event_TestAll(events, count, 0)
#define gasnet_coll_wait_sync(event) gex_Event_Wait(event)
#define gasnet_coll_wait_sync_some(events, count) gex_Event_WaitSome(events, count, 0)
#define gasnet_coll_wait_sync_all(events, count) gex_Event_WaitAll(events, count, 0)

/* ---- barrier -------------------------------------------------------------------------------- */

/* The split barrier with names (gasnetex_barrier.h) over a team. gasnet_barrier_notify() and its
   siblings are that of GASNET_TEAM_ALL. */
void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int* id);

/* ---- tuning --------------------------------------------------------------------------------- */

/* Algorithms are chosen from a table, or forced by the settings ATOLL_COLL_*. A file of tuning
   results is neither read nor written: these calls return without effect. */
typedef enum {
  GASNET_COLL_BROADCAST_OP = 0,
  GASNET_COLL_SCATTER_OP,
  GASNET_COLL_GATHER_OP,
  GASNET_COLL_GATHER_ALL_OP,
  GASNET_COLL_EXCHANGE_OP,
  GASNET_COLL_NUM_COLL_OPTYPES
} gasnet_coll_optype_t;
typedef enum {
  GASNET_COLL_PIPE_SEG_SIZE,
  GASNET_COLL_DISSEM_RADIX,
  GASNET_COLL_TREE_TYPE,
  GASNET_COLL_NUM_PARAM_TYPES
} gasnet_coll_tuning_param_type_t;
typedef void (*gasnet_coll_overlap_sample_work_t)(void* arg);

void gasnet_coll_loadTuningState(const char* filename, gasnet_team_handle_t team);
void gasnet_coll_dumpTuningState(const char* filename, gasnet_team_handle_t team);
void gasnet_coll_dumpProfile(const char* filename, gasnet_team_handle_t team);
int gasnet_coll_get_num_tree_classes(gasnet_team_handle_t team, gasnet_coll_optype_t optype);
void gasnet_coll_set_tree_kind(gasnet_team_handle_t team, int tree_type, int fanout,
                               gasnet_coll_optype_t optype);
void gasnet_coll_set_dissem_limit(gasnet_team_handle_t team, size_t limit,
                                  gasnet_coll_optype_t optype);

#ifdef __cplusplus
}
#endif

#endif
