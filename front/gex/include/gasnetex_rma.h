// SPDX-License-Identifier: BSD-3-Clause
//
// Put and get. A transfer to a rank whose segment is mapped here at its own addresses is a copy: it
// happens inline, with a bounds check, and is complete when the call returns; implicit ones may be
// reordered by the compiler up to the next wait or test for them. Everything else (longer than
// ATOLL_INLINE_MAX, not mapped so, out of bounds, a bad rank) goes to the library, which transfers
// or says what is wrong. Sizes are in bytes; local memory is any memory, remote memory lies in the
// bound segment of (tm, rank). Handlers may not call these functions. Blocking and NBI forms return
// non-zero, NB forms GEX_EVENT_NO_OP, only if GEX_FLAG_IMMEDIATE was given and nothing was done.
// Spec: "Extended API".
#ifndef GASNETEX_RMA_H
#define GASNETEX_RMA_H

#include <string.h>

#include "gasnetex_identity.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

int atoll_gex_put(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                  gex_Flags_t flags);
int atoll_gex_get(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src, size_t nbytes,
                  gex_Flags_t flags);
gex_Event_t atoll_gex_put_nb(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                             size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags);
gex_Event_t atoll_gex_get_nb(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src, size_t nbytes,
                             gex_Flags_t flags);
int atoll_gex_put_nbi(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src, size_t nbytes,
                      gex_Event_t* lc_opt, gex_Flags_t flags);
int atoll_gex_get_nbi(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src, size_t nbytes,
                      gex_Flags_t flags);

/* ---- the direct path ------------------------------------------------------------------------ */

/* Where [address, address + nbytes) of that rank's segment is mapped here; null if the library has
   to deal with it, as with transfers of nothing. */
static inline char* atoll_gex_direct(gex_TM_t tm, gex_Rank_t rank, const void* address,
                                     size_t nbytes) {
  if (nbytes > ATOLL_INLINE_MAX) return NULL;
  if (ATOLL_LIKELY(rank < tm->inline_size)) {
    return atoll_route_find_inline(tm->routes + rank, address, nbytes);
  }
  if (rank >= tm->listed_size) return NULL;
  return atoll_route_find_inline(tm->routes + tm->rows[rank], address, nbytes);
}

/* A word that the compiler sees, whose variable the client may change when the call returns. */
#define ATOLL_GEX_IS_FREE_WORD(src, nbytes, lc_opt) \
  ((lc_opt) == GEX_EVENT_NOW && ATOLL_IS_KNOWN_WORD(src, nbytes))

/* The source of every transfer is free again when the call returns. */
static inline void atoll_gex_source_done(gex_Event_t* lc_opt) {
  if ((uintptr_t)lc_opt > (uintptr_t)GEX_EVENT_GROUP) *lc_opt = GEX_EVENT_INVALID;
}

/* ---- put ------------------------------------------------------------------------------------ */

static inline int gex_RMA_PutBlocking(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                      size_t nbytes, gex_Flags_t flags) {
  char* direct = atoll_gex_direct(tm, rank, dest, nbytes);
  char word[8];
  if (ATOLL_LIKELY(direct)) {
    atoll_copy(direct, src, nbytes);
    return 0;
  }
  if (ATOLL_IS_KNOWN_WORD(src, nbytes)) src = memcpy(word, src, nbytes);
  return atoll_gex_put(tm, rank, dest, src, nbytes, flags);
}

static inline int gex_RMA_PutNBI(gex_TM_t tm, gex_Rank_t rank, void* dest, const void* src,
                                 size_t nbytes, gex_Event_t* lc_opt, gex_Flags_t flags) {
  char* direct = atoll_gex_direct(tm, rank, dest, nbytes);
  char word[8];
  if (ATOLL_LIKELY(direct)) {
    memcpy(direct, src, nbytes);
    return 0;
  }
  if (ATOLL_GEX_IS_FREE_WORD(src, nbytes, lc_opt)) src = memcpy(word, src, nbytes);
  return atoll_gex_put_nbi(tm, rank, dest, src, nbytes, lc_opt, flags);
}

ATOLL_GEX_MUST_USE static inline gex_Event_t gex_RMA_PutNB(gex_TM_t tm, gex_Rank_t rank, void* dest,
                                                           const void* src, size_t nbytes,
                                                           gex_Event_t* lc_opt, gex_Flags_t flags) {
  char* direct = atoll_gex_direct(tm, rank, dest, nbytes);
  char word[8];
  if (ATOLL_LIKELY(direct)) {
    atoll_copy(direct, src, nbytes);
    atoll_gex_source_done(lc_opt);
    return GEX_EVENT_INVALID;
  }
  if (ATOLL_GEX_IS_FREE_WORD(src, nbytes, lc_opt)) src = memcpy(word, src, nbytes);
  return atoll_gex_put_nb(tm, rank, dest, src, nbytes, lc_opt, flags);
}

/* ---- get ------------------------------------------------------------------------------------ */

static inline int gex_RMA_GetBlocking(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src,
                                      size_t nbytes, gex_Flags_t flags) {
  char* direct = atoll_gex_direct(tm, rank, src, nbytes);
  if (!ATOLL_LIKELY(direct)) return atoll_gex_get(tm, dest, rank, src, nbytes, flags);
  atoll_copy(dest, direct, nbytes);
  return 0;
}

static inline int gex_RMA_GetNBI(gex_TM_t tm, void* dest, gex_Rank_t rank, void* src, size_t nbytes,
                                 gex_Flags_t flags) {
  char* direct = atoll_gex_direct(tm, rank, src, nbytes);
  if (!ATOLL_LIKELY(direct)) return atoll_gex_get_nbi(tm, dest, rank, src, nbytes, flags);
  memcpy(dest, direct, nbytes);
  return 0;
}

ATOLL_GEX_MUST_USE static inline gex_Event_t gex_RMA_GetNB(gex_TM_t tm, void* dest, gex_Rank_t rank,
                                                           void* src, size_t nbytes,
                                                           gex_Flags_t flags) {
  char* direct = atoll_gex_direct(tm, rank, src, nbytes);
  if (!ATOLL_LIKELY(direct)) return atoll_gex_get_nb(tm, dest, rank, src, nbytes, flags);
  atoll_copy(dest, direct, nbytes);
  return GEX_EVENT_INVALID;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The bytes of a value that a transfer of nbytes (1..8) means: its low ones. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define ATOLL_GEX_LOW_BYTES(value, nbytes) ((char*)&(value) + sizeof(gex_RMA_Value_t) - (nbytes))
#else
#define ATOLL_GEX_LOW_BYTES(value, nbytes) ((char*)&(value))
#endif

static inline int gex_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void* dest,
                                         gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags) {
  return gex_RMA_PutBlocking(tm, rank, dest, ATOLL_GEX_LOW_BYTES(value, nbytes), nbytes, flags);
}

static inline int gex_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void* dest, gex_RMA_Value_t value,
                                    size_t nbytes, gex_Flags_t flags) {
  return gex_RMA_PutNBI(tm, rank, dest, ATOLL_GEX_LOW_BYTES(value, nbytes), nbytes, GEX_EVENT_NOW,
                        flags);
}

ATOLL_GEX_MUST_USE static inline gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank,
                                                              void* dest, gex_RMA_Value_t value,
                                                              size_t nbytes, gex_Flags_t flags) {
  return gex_RMA_PutNB(tm, rank, dest, ATOLL_GEX_LOW_BYTES(value, nbytes), nbytes, GEX_EVENT_NOW,
                       flags);
}

static inline gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void* src,
                                                     size_t nbytes, gex_Flags_t flags) {
  gex_RMA_Value_t value = 0;
  (void)gex_RMA_GetBlocking(tm, ATOLL_GEX_LOW_BYTES(value, nbytes), rank, src, nbytes, flags);
  return value;
}

#ifdef __cplusplus
}
#endif

#endif
