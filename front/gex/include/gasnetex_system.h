// SPDX-License-Identifier: BSD-3-Clause
//
// The job and the process: who and where we are, progress, waiting, locks that handlers may take,
// the environment, the end. Spec: "Job rank", "Neighborhood and Host", "Handler-safe locks",
// "Deferred progress threads", and the GASNet-1 calls that remain part of the interface.
#ifndef GASNETEX_SYSTEM_H
#define GASNETEX_SYSTEM_H

#include "gasnetex_identity.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- who we are ----------------------------------------------------------------------------- */

gex_Rank_t gex_System_QueryJobRank(void);
gex_Rank_t gex_System_QueryJobSize(void);

/* Ranks that can map each other's memory, and ranks on the same machine: arrays that the library
   owns, in order of rank. Any pointer may be null. */
void gex_System_QueryNbrhdInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                               gex_Rank_t* my_info_index_p);
void gex_System_QueryHostInfo(gex_RankInfo_t** info_p, gex_Rank_t* info_count_p,
                              gex_Rank_t* my_info_index_p);
void gex_System_QueryMyPosition(gex_Rank_t* nbrhd_set_size_p, gex_Rank_t* nbrhd_set_rank_p,
                                gex_Rank_t* host_set_size_p, gex_Rank_t* host_set_rank_p);

int gex_System_GetVerboseErrors(void);
void gex_System_SetVerboseErrors(int enable);

/* ---- threads -------------------------------------------------------------------------------- */

/* 1 when a thread of the library may run handlers, else 0. */
int gex_System_QueryHiddenAMConcurrencyLevel(void);
int gex_System_QueryProgressThreads(gex_Client_t client, unsigned int* count_p,
                                    const gex_ProgressThreadInfo_t** info_p, gex_Flags_t flags);

/* GASNet-EX lets a client carry its thread's record about; Atoll finds its own. */
typedef void* gasnet_threadinfo_t;
#define GASNET_GET_THREADINFO() ((gasnet_threadinfo_t)0)
#define GASNET_POST_THREADINFO(info) ((void)(info))
#define GASNET_BEGIN_FUNCTION() GASNET_POST_THREADINFO(GASNET_GET_THREADINFO())

/* ---- progress and waiting ------------------------------------------------------------------- */

/* Runs what has arrived. A handler may not call it. */
int gasnet_AMPoll(void);

/* One step of waiting for something that only the caller can test: polls, and the longer it has
   gone on, the more of the processor it leaves to others. Starts as all zeros. */
struct atoll_gex_wait {
  uint32_t started;
  uint32_t state[3];
};
void atoll_gex_wait_step(struct atoll_gex_wait* wait);

/* Waits, running what arrives, until a condition is true that handlers, other threads or other
   ranks' puts change. */
#define GASNET_BLOCKUNTIL(condition)                          \
  do {                                                        \
    struct atoll_gex_wait atoll_gex_waiting = {0, {0, 0, 0}}; \
    while (!(condition)) {                                    \
      atoll_gex_wait_step(&atoll_gex_waiting);                \
    }                                                         \
    __atomic_signal_fence(__ATOMIC_SEQ_CST);                  \
  } while (0)

/* How this process waits from now on: by polling (as long as every rank has a core), by sleeping at
   once, or by polling and then sleeping, which is the default. ATOLL_WAIT takes precedence. */
#define GASNET_WAIT_SPIN 0
#define GASNET_WAIT_BLOCK 1
#define GASNET_WAIT_SPINBLOCK 2
int gasnet_set_waitmode(int wait_mode);

/* ---- handler-safe locks --------------------------------------------------------------------- */

/* Held for a short time, never across a call that communicates or polls; a handler releases what it
   took before it returns. */
typedef struct {
  uint32_t atoll_state;
} gex_HSL_t;
#define GEX_HSL_INITIALIZER {0}

void gex_HSL_Init(gex_HSL_t* hsl);
void gex_HSL_Destroy(gex_HSL_t* hsl);
void gex_HSL_Lock(gex_HSL_t* hsl);
void gex_HSL_Unlock(gex_HSL_t* hsl);
int gex_HSL_Trylock(gex_HSL_t* hsl) ATOLL_GEX_MUST_USE;

/* ---- environment and end -------------------------------------------------------------------- */

/* The value of an environment variable, or null. */
char* gasnet_getenv(const char* name);

/* Ends the whole job with this exit code. Any thread, handlers included; does not return. */
void gasnet_exit(int exitcode) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
