// SPDX-License-Identifier: BSD-3-Clause
//
// Non-contiguous put and get of GASNet-1, which its specification never had and its clients use all
// the same: vector (v), indexed (i) and strided (s), each blocking, with a handle, and implicit.
// The arrays are free again at return; the source of a put, too. Strided counts begin with the
// bytes of one contiguous piece, so there is one more of them than there are strides; strides are
// in bytes.
#ifndef GASNET1_VIS_H
#define GASNET1_VIS_H

#include "gasnet1_types.h"
#include "gasnetex_vis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The same call in three forms: `kind` is the family's letter. */
#define ATOLL_GEX_GASNET1_VIS(put, kind, Call, parameters, arguments)                        \
  static inline void gasnet_##put##kind##_bulk parameters {                                  \
    (void)gex_VIS_##Call##Blocking arguments;                                                \
  }                                                                                          \
  static inline void gasnet_##put##kind##_nbi_bulk parameters {                              \
    (void)gex_VIS_##Call##NBI arguments;                                                     \
  }                                                                                          \
  ATOLL_GEX_MUST_USE static inline gasnet_handle_t gasnet_##put##kind##_nb_bulk parameters { \
    return gex_VIS_##Call##NB arguments;                                                     \
  }

ATOLL_GEX_GASNET1_VIS(put, v, VectorPut,
                      (gasnet_node_t dstnode, size_t dstcount, gasnet_memvec_t const dstlist[],
                       size_t srccount, gasnet_memvec_t const srclist[]),
                      (atoll_gex_gasnet1_team, dstnode, dstcount, (const gex_Memvec_t*)dstlist,
                       srccount, (const gex_Memvec_t*)srclist, 0))
ATOLL_GEX_GASNET1_VIS(get, v, VectorGet,
                      (size_t dstcount, gasnet_memvec_t const dstlist[], gasnet_node_t srcnode,
                       size_t srccount, gasnet_memvec_t const srclist[]),
                      (atoll_gex_gasnet1_team, dstcount, (const gex_Memvec_t*)dstlist, srcnode,
                       srccount, (const gex_Memvec_t*)srclist, 0))

ATOLL_GEX_GASNET1_VIS(put, i, IndexedPut,
                      (gasnet_node_t dstnode, size_t dstcount, void* const dstlist[], size_t dstlen,
                       size_t srccount, void* const srclist[], size_t srclen),
                      (atoll_gex_gasnet1_team, dstnode, dstcount, dstlist, dstlen, srccount,
                       srclist, srclen, 0))
ATOLL_GEX_GASNET1_VIS(get, i, IndexedGet,
                      (size_t dstcount, void* const dstlist[], size_t dstlen, gasnet_node_t srcnode,
                       size_t srccount, void* const srclist[], size_t srclen),
                      (atoll_gex_gasnet1_team, dstcount, dstlist, dstlen, srcnode, srccount,
                       srclist, srclen, 0))

ATOLL_GEX_GASNET1_VIS(put, s, StridedPut,
                      (gasnet_node_t dstnode, void* dstaddr, const size_t dststrides[],
                       void* srcaddr, const size_t srcstrides[], const size_t count[],
                       size_t stridelevels),
                      (atoll_gex_gasnet1_team, dstnode, dstaddr, (const ptrdiff_t*)dststrides,
                       srcaddr, (const ptrdiff_t*)srcstrides, count[0], count + 1, stridelevels, 0))
ATOLL_GEX_GASNET1_VIS(get, s, StridedGet,
                      (void* dstaddr, const size_t dststrides[], gasnet_node_t srcnode,
                       void* srcaddr, const size_t srcstrides[], const size_t count[],
                       size_t stridelevels),
                      (atoll_gex_gasnet1_team, dstaddr, (const ptrdiff_t*)dststrides, srcnode,
                       srcaddr, (const ptrdiff_t*)srcstrides, count[0], count + 1, stridelevels, 0))

#ifdef __cplusplus
}
#endif

#endif
