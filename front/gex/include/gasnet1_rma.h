// SPDX-License-Identifier: BSD-3-Clause
//
// Put, get and memset of GASNet-1, over GASNet-EX's inline transfers: to a rank whose segment is
// mapped here they are a copy, complete at return. A `nb` put has taken its source when it returns;
// the source of a `bulk` put must stay as it is until the put is complete. Addresses need no
// alignment in any form. Sizes are in bytes. Handlers may not call these functions. Spec: GASNet-1,
// "Extended API".
#ifndef GASNET1_RMA_H
#define GASNET1_RMA_H

#include "gasnet1_types.h"
#include "gasnetex_event.h"
#include "gasnetex_rma.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- blocking ------------------------------------------------------------------------------- */

static inline void gasnet_put(gasnet_node_t node, void* dest, const void* src, size_t nbytes) {
  (void)gex_RMA_PutBlocking(atoll_gex_gasnet1_team, node, dest, src, nbytes, 0);
}
static inline void gasnet_put_bulk(gasnet_node_t node, void* dest, const void* src, size_t nbytes) {
  gasnet_put(node, dest, src, nbytes);
}
static inline void gasnet_get(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  (void)gex_RMA_GetBlocking(atoll_gex_gasnet1_team, dest, node, src, nbytes, 0);
}
static inline void gasnet_get_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  gasnet_get(dest, node, src, nbytes);
}

/* ---- explicit handles ----------------------------------------------------------------------- */

ATOLL_GEX_MUST_USE static inline gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void* dest,
                                                               const void* src, size_t nbytes) {
  return gex_RMA_PutNB(atoll_gex_gasnet1_team, node, dest, src, nbytes, GEX_EVENT_NOW, 0);
}
ATOLL_GEX_MUST_USE static inline gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void* dest,
                                                                    const void* src,
                                                                    size_t nbytes) {
  return gex_RMA_PutNB(atoll_gex_gasnet1_team, node, dest, src, nbytes, GEX_EVENT_DEFER, 0);
}
ATOLL_GEX_MUST_USE static inline gasnet_handle_t gasnet_get_nb(void* dest, gasnet_node_t node,
                                                               void* src, size_t nbytes) {
  return gex_RMA_GetNB(atoll_gex_gasnet1_team, dest, node, src, nbytes, 0);
}
ATOLL_GEX_MUST_USE static inline gasnet_handle_t gasnet_get_nb_bulk(void* dest, gasnet_node_t node,
                                                                    void* src, size_t nbytes) {
  return gasnet_get_nb(dest, node, src, nbytes);
}

/* ---- implicit ------------------------------------------------------------------------------- */

static inline void gasnet_put_nbi(gasnet_node_t node, void* dest, const void* src, size_t nbytes) {
  (void)gex_RMA_PutNBI(atoll_gex_gasnet1_team, node, dest, src, nbytes, GEX_EVENT_NOW, 0);
}
static inline void gasnet_put_nbi_bulk(gasnet_node_t node, void* dest, const void* src,
                                       size_t nbytes) {
  (void)gex_RMA_PutNBI(atoll_gex_gasnet1_team, node, dest, src, nbytes, GEX_EVENT_DEFER, 0);
}
static inline void gasnet_get_nbi(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  (void)gex_RMA_GetNBI(atoll_gex_gasnet1_team, dest, node, src, nbytes, 0);
}
static inline void gasnet_get_nbi_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  gasnet_get_nbi(dest, node, src, nbytes);
}

/* ---- values --------------------------------------------------------------------------------- */

static inline void gasnet_put_val(gasnet_node_t node, void* dest, gasnet_register_value_t value,
                                  size_t nbytes) {
  (void)gex_RMA_PutBlockingVal(atoll_gex_gasnet1_team, node, dest, value, nbytes, 0);
}
ATOLL_GEX_MUST_USE static inline gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void* dest,
                                                                   gasnet_register_value_t value,
                                                                   size_t nbytes) {
  return gex_RMA_PutNBVal(atoll_gex_gasnet1_team, node, dest, value, nbytes, 0);
}
static inline void gasnet_put_nbi_val(gasnet_node_t node, void* dest, gasnet_register_value_t value,
                                      size_t nbytes) {
  (void)gex_RMA_PutNBIVal(atoll_gex_gasnet1_team, node, dest, value, nbytes, 0);
}
static inline gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void* src, size_t nbytes) {
  return gex_RMA_GetBlockingVal(atoll_gex_gasnet1_team, node, src, nbytes, 0);
}

/* A value under way: the value itself if it came at once, else where the library keeps it. */
struct atoll_gex_pending_value;
typedef struct {
  gasnet_register_value_t atoll_value;
  struct atoll_gex_pending_value* atoll_pending;
} gasnet_valget_handle_t;

struct atoll_gex_pending_value* atoll_gex_get_nb_val(gasnet_node_t node, void* src, size_t nbytes);
gasnet_register_value_t atoll_gex_wait_nb_val(struct atoll_gex_pending_value* pending);

ATOLL_GEX_MUST_USE static inline gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node,
                                                                          void* src,
                                                                          size_t nbytes) {
  gasnet_valget_handle_t handle = {0, NULL};
  char* const direct = atoll_gex_direct(atoll_gex_gasnet1_team, node, src, nbytes);
  if (ATOLL_LIKELY(direct && nbytes <= sizeof handle.atoll_value)) {
    atoll_copy(ATOLL_GEX_LOW_BYTES(handle.atoll_value, nbytes), direct, nbytes);
  } else {
    handle.atoll_pending = atoll_gex_get_nb_val(node, src, nbytes);
  }
  return handle;
}
static inline gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle) {
  if (ATOLL_LIKELY(!handle.atoll_pending)) return handle.atoll_value;
  return atoll_gex_wait_nb_val(handle.atoll_pending);
}

/* ---- memset --------------------------------------------------------------------------------- */

/* Sets bytes of a rank's segment to the low byte of `value`; completion is that of puts. */
gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int value,
                                 size_t nbytes) ATOLL_GEX_MUST_USE;
void gasnet_memset_nbi(gasnet_node_t node, void* dest, int value, size_t nbytes);
static inline void gasnet_memset(gasnet_node_t node, void* dest, int value, size_t nbytes) {
  gex_Event_Wait(gasnet_memset_nb(node, dest, value, nbytes));
}

#ifdef __cplusplus
}
#endif

#endif
