// SPDX-License-Identifier: BSD-3-Clause
//
// Looking at bytes: how many are zero, and a checksum.
#ifndef GASNETTOOLS_BYTES_H
#define GASNETTOOLS_BYTES_H

#include "gasnettools_annotation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* 1 in each byte that is zero, else 0: adding 0x7f to the low seven bits carries into the top bit
   unless they are zero. */
static inline uint64_t atoll_tools_zero_bytes(uint64_t x) {
  const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
  return ~(((x & low) + low) | x | low) >> 7;
}

/* A product with 0x01 in each byte has the sum of all bytes in its top one. */
static inline int gasnett_count0s_uint64_t(uint64_t x) {
  return (int)((atoll_tools_zero_bytes(x) * UINT64_C(0x0101010101010101)) >> 56);
}
static inline int gasnett_count0s_uint32_t(uint32_t x) {
  return gasnett_count0s_uint64_t(x | ~(uint64_t)UINT32_MAX);
}
static inline int gasnett_count0s_uintptr_t(uintptr_t x) {
  return sizeof x == 8 ? gasnett_count0s_uint64_t(x) : gasnett_count0s_uint32_t((uint32_t)x);
}

/* Bytes of value 0 in a range, and the same while copying it. */
size_t gasnett_count0s(const void* from, size_t bytes);
size_t gasnett_count0s_copy(void* GASNETT_RESTRICT to, const void* GASNETT_RESTRICT from,
                            size_t bytes);

/* Quick and not secure; the same on all machines of one byte order. */
uint64_t gasnett_checksum(const void* from, int bytes);

#define gasnett_count0s_uint64_t gasnett_count0s_uint64_t
#define gasnett_count0s_uint32_t gasnett_count0s_uint32_t
#define gasnett_count0s_uintptr_t gasnett_count0s_uintptr_t
#define gasnett_count0s gasnett_count0s
#define gasnett_count0s_copy gasnett_count0s_copy
#define gasnett_checksum gasnett_checksum

#ifdef __cplusplus
}
#endif

#endif
