// SPDX-License-Identifier: BSD-3-Clause
//
// Handler-safe locks and no-interrupt sections of GASNet-1. The locks are those of GASNet-EX, so
// both interfaces can use one lock. Handlers run in polls, or in a progress thread beside the
// client; they never interrupt a thread, so no-interrupt sections do nothing, and a handler that
// shares data with the client takes a lock. Spec: GASNet-1, "Atomicity control".
#ifndef GASNET1_LOCK_H
#define GASNET1_LOCK_H

#include "gasnet1_types.h"
#include "gasnetex_system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef gex_HSL_t gasnet_hsl_t;
#define GASNET_HSL_INITIALIZER GEX_HSL_INITIALIZER

static inline void gasnet_hsl_init(gasnet_hsl_t* hsl) { gex_HSL_Init(hsl); }
static inline void gasnet_hsl_destroy(gasnet_hsl_t* hsl) { gex_HSL_Destroy(hsl); }
static inline void gasnet_hsl_lock(gasnet_hsl_t* hsl) { gex_HSL_Lock(hsl); }
static inline void gasnet_hsl_unlock(gasnet_hsl_t* hsl) { gex_HSL_Unlock(hsl); }
ATOLL_GEX_MUST_USE static inline int gasnet_hsl_trylock(gasnet_hsl_t* hsl) {
  return gex_HSL_Trylock(hsl);
}

static inline void gasnet_hold_interrupts(void) {}
static inline void gasnet_resume_interrupts(void) {}

#ifdef __cplusplus
}
#endif

#endif
