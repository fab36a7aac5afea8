// SPDX-License-Identifier: BSD-3-Clause
//
// Barriers: over a team, with an event; and the split barrier of GASNet-1 over all ranks, which may
// carry a name. Names must agree: anonymous fits every name, two different names or a call with
// GASNET_BARRIERFLAG_MISMATCH give GASNET_ERR_BARRIER_MISMATCH to every rank. A call of the one
// kind does not match a call of the other. Spec: "Collectives Part I. Barrier"; GASNet-1,
// "Barriers".
#ifndef GASNETEX_BARRIER_H
#define GASNETEX_BARRIER_H

#include "gasnetex_event.h"
#include "gasnetex_identity.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Complete when every member has called it; several may be under way at a time. */
gex_Event_t gex_Coll_BarrierNB(gex_TM_t tm, gex_Flags_t flags) ATOLL_GEX_MUST_USE;
static inline void gex_Coll_BarrierBlocking(gex_TM_t tm, gex_Flags_t flags) {
  gex_Event_Wait(gex_Coll_BarrierNB(tm, flags));
}

#define GASNET_BARRIERFLAG_ANONYMOUS 1
#define GASNET_BARRIERFLAG_MISMATCH 2
/* Promises that every rank is anonymous. */
#define GASNET_BARRIERFLAG_UNNAMED (GASNET_BARRIERFLAG_ANONYMOUS | 4)

/* notify, then wait or try until it is not GASNET_ERR_NOT_READY, with the same arguments. */
void gasnet_barrier_notify(int id, int flags);
int gasnet_barrier_wait(int id, int flags);
int gasnet_barrier_try(int id, int flags);
int gasnet_barrier(int id, int flags);

/* Of the last barrier this process completed: 0 and its name, or non-zero if it was anonymous. */
int gasnet_barrier_result(int* id);

#ifdef __cplusplus
}
#endif

#endif
