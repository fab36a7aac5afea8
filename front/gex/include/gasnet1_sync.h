// SPDX-License-Identifier: BSD-3-Clause
//
// Completion of GASNet-1 transfers. A handle is an event of GASNet-EX: synchronizing it with
// success ends its life, in an array it becomes GASNET_INVALID_HANDLE. The try forms poll once,
// those with _nopoll do not; they return GASNET_OK or GASNET_ERR_NOT_READY. Implicit transfers
// belong to the calling thread. Spec: GASNet-1, "Synchronization".
#ifndef GASNET1_SYNC_H
#define GASNET1_SYNC_H

#include "gasnet1_types.h"
#include "gasnetex_event.h"
#include "gasnetex_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- explicit ------------------------------------------------------------------------------- */

static inline void gasnet_wait_syncnb(gasnet_handle_t handle) { gex_Event_Wait(handle); }
static inline void gasnet_wait_syncnb_some(gasnet_handle_t* handles, size_t count) {
  gex_Event_WaitSome(handles, count, 0);
}
static inline void gasnet_wait_syncnb_all(gasnet_handle_t* handles, size_t count) {
  gex_Event_WaitAll(handles, count, 0);
}

static inline int gasnet_try_syncnb_nopoll(gasnet_handle_t handle) {
  return gex_Event_Test(handle);
}
static inline int gasnet_try_syncnb_some_nopoll(gasnet_handle_t* handles, size_t count) {
  return gex_Event_TestSome(handles, count, 0);
}
static inline int gasnet_try_syncnb_all_nopoll(gasnet_handle_t* handles, size_t count) {
  return gex_Event_TestAll(handles, count, 0);
}

static inline int gasnet_try_syncnb(gasnet_handle_t handle) {
  (void)gasnet_AMPoll();
  return gex_Event_Test(handle);
}
static inline int gasnet_try_syncnb_some(gasnet_handle_t* handles, size_t count) {
  (void)gasnet_AMPoll();
  return gex_Event_TestSome(handles, count, 0);
}
static inline int gasnet_try_syncnb_all(gasnet_handle_t* handles, size_t count) {
  (void)gasnet_AMPoll();
  return gex_Event_TestAll(handles, count, 0);
}

/* ---- implicit ------------------------------------------------------------------------------- */

static inline void gasnet_wait_syncnbi_gets(void) { gex_NBI_Wait(GEX_EC_GET, 0); }
static inline void gasnet_wait_syncnbi_puts(void) { gex_NBI_Wait(GEX_EC_PUT, 0); }
static inline void gasnet_wait_syncnbi_all(void) { gex_NBI_Wait(GEX_EC_GET | GEX_EC_PUT, 0); }

static inline int gasnet_try_syncnbi_gets(void) {
  (void)gasnet_AMPoll();
  return gex_NBI_Test(GEX_EC_GET, 0);
}
static inline int gasnet_try_syncnbi_puts(void) {
  (void)gasnet_AMPoll();
  return gex_NBI_Test(GEX_EC_PUT, 0);
}
static inline int gasnet_try_syncnbi_all(void) {
  (void)gasnet_AMPoll();
  return gex_NBI_Test(GEX_EC_GET | GEX_EC_PUT, 0);
}

static inline void gasnet_begin_nbi_accessregion(void) { gex_NBI_BeginAccessRegion(0); }
ATOLL_GEX_MUST_USE static inline gasnet_handle_t gasnet_end_nbi_accessregion(void) {
  return gex_NBI_EndAccessRegion(0);
}

#ifdef __cplusplus
}
#endif

#endif
