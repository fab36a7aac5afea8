// SPDX-License-Identifier: BSD-3-Clause
//
// Completion. An event names an operation in flight; testing or waiting with success ends its life.
// Most transfers between ranks of one host are complete when the starting call returns, so the
// complete event is null and is recognized here, inline. _Test never polls; _Wait does.
// Spec: "Event test/wait operations", "Sync of specified subset of NBI operations".
#ifndef GASNETEX_EVENT_H
#define GASNETEX_EVENT_H

#include "gasnetex_identity.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

int atoll_gex_event_test(gex_Event_t event);
void atoll_gex_event_wait(gex_Event_t event);

/* GASNET_OK when complete, else GASNET_ERR_NOT_READY. */
static inline int gex_Event_Test(gex_Event_t event) {
  return ATOLL_LIKELY(event == GEX_EVENT_INVALID) ? GASNET_OK : atoll_gex_event_test(event);
}
static inline void gex_Event_Wait(gex_Event_t event) {
  if (!ATOLL_LIKELY(event == GEX_EVENT_INVALID)) atoll_gex_event_wait(event);
}

/* Arrays: completed entries become GEX_EVENT_INVALID, entries that are so already are ignored. */
int gex_Event_TestSome(gex_Event_t* pevent, size_t numevents, gex_Flags_t flags);
void gex_Event_WaitSome(gex_Event_t* pevent, size_t numevents, gex_Flags_t flags);
int gex_Event_TestAll(gex_Event_t* pevent, size_t numevents, gex_Flags_t flags);
void gex_Event_WaitAll(gex_Event_t* pevent, size_t numevents, gex_Flags_t flags);

/* The part of an operation that completes on its own: GEX_EC_LC, or in the event of an access
   region any category. The same event at every call, until the root is synchronized. */
gex_Event_t atoll_gex_event_leaf(gex_Event_t root, gex_EC_t event_category);
static inline gex_Event_t gex_Event_QueryLeaf(gex_Event_t root, gex_EC_t event_category) {
  return ATOLL_LIKELY(root == GEX_EVENT_INVALID) ? root
                                                 : atoll_gex_event_leaf(root, event_category);
}

/* Nonzero once an implicit operation of this process was not complete when it was started. */
extern int atoll_gex_implicit_used;
int atoll_gex_implicit_test(gex_EC_t event_mask);
void atoll_gex_implicit_wait(gex_EC_t event_mask);

/* The calling thread's implicit operations of the categories in the mask. Orders those that were
   done inline with what follows. */
ATOLL_GEX_MUST_USE static inline int gex_NBI_Test(gex_EC_t event_mask, gex_Flags_t flags) {
  (void)flags;
  ATOLL_ORDER();
  if (ATOLL_LIKELY(!__atomic_load_n(&atoll_gex_implicit_used, __ATOMIC_RELAXED))) {
    return GASNET_OK;
  }
  return atoll_gex_implicit_test(event_mask);
}
static inline void gex_NBI_Wait(gex_EC_t event_mask, gex_Flags_t flags) {
  (void)flags;
  ATOLL_ORDER();
  if (!ATOLL_LIKELY(!__atomic_load_n(&atoll_gex_implicit_used, __ATOMIC_RELAXED))) {
    atoll_gex_implicit_wait(event_mask);
  }
}

/* Between these, implicit operations of this thread gather under the event that End returns. */
void gex_NBI_BeginAccessRegion(gex_Flags_t flags);
gex_Event_t gex_NBI_EndAccessRegion(gex_Flags_t flags) ATOLL_GEX_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
