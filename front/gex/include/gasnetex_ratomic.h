// SPDX-License-Identifier: BSD-3-Clause
//
// Remote atomics: atomic domains, and operations on one number in the bound segment of a rank of
// the domain's team. If the compiler knows the operation, it is one instruction of the processor,
// and the number is mapped here, then the header does it inline, complete at once. All else (other
// operations, not mapped, out of bounds, misused) goes to the library, which does it the same way,
// or by a message to the target, or says what is wrong.
//
// Inline operations are not counted: the store would add a tenth to the cost of the instruction.
// With ATOLL_COUNTERS=1 no operation is inline, so what is printed is exact.
//
// Every operation that reads is an acquire and every one that writes is a release, asked for or
// not. So GEX_FLAG_AD_ACQ and GEX_FLAG_AD_REL matter only for a SET with the first and a GET with
// the second. Spec: "Remote Atomic Operations".
#ifndef GASNETEX_RATOMIC_H
#define GASNETEX_RATOMIC_H

#include <string.h>

#include "gasnetex_rma.h"
#include "gasnetex_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- domains -------------------------------------------------------------------------------- */

/* The part of a domain that inline functions read; constant after the domain was made. */
struct atoll_gex_domain {
  gex_TM_t tm;
  gex_TM_t by_jobrank; /* the team whose ranks are the job's, with the same endpoints */
  gex_OP_t ops[6];     /* to be done at once, by type in the order of GEX_DT_I32..DBL */
};
typedef struct atoll_gex_domain* gex_AD_t;
#define GEX_AD_INVALID ((gex_AD_t)(uintptr_t)0)

/* Collective over `tm`, without communication or a barrier. A type that has not all of `ops` ends
   the job. The GEX_FLAG_AD_FAVOR_* hints are kept and change nothing. */
void gex_AD_Create(gex_AD_t* ad_p, gex_TM_t tm, gex_DT_t dt, gex_OP_t ops, gex_Flags_t flags);

/* Collective, without a barrier; the client has seen to it that no operation is under way. */
void gex_AD_Destroy(gex_AD_t ad);

gex_Flags_t gex_AD_QueryFlags(gex_AD_t ad);
gex_TM_t gex_AD_QueryTM(gex_AD_t ad);
gex_DT_t gex_AD_QueryDT(gex_AD_t ad);
gex_OP_t gex_AD_QueryOps(gex_AD_t ad);
void gex_AD_SetCData(gex_AD_t ad, const void* value);
void* gex_AD_QueryCData(gex_AD_t ad);

/* ---- operations ----------------------------------------------------------------------------- */

#define ATOLL_GEX_OPS_FETCHING (~(gex_OP_t)0 << 12) /* GET and all that lie above it */

/* The operations that are worth doing inline: those of one instruction each; and sums, since they
   are by far the most frequent, also where the operation is not known when compiling. */
#define ATOLL_GEX_OPS_SHORT (GEX_OP_SET | GEX_OP_GET | GEX_OP_SWAP)
#define ATOLL_GEX_OPS_SHORT_INTEGER                                                      \
  (ATOLL_GEX_OPS_SHORT | GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_SUB | GEX_OP_INC | \
   GEX_OP_DEC | GEX_OP_CAS | GEX_OP_FSUB | GEX_OP_FINC | GEX_OP_FDEC | GEX_OP_FCAS)

/* Inlined for sure when optimizing, since only then the operation is known inside. */
#ifdef __OPTIMIZE__
#define ATOLL_GEX_ATOMIC __attribute__((always_inline)) static inline
#else
#define ATOLL_GEX_ATOMIC static inline
#endif

/* Whether an inline operation has the order asked for: a plain load does not release, and a plain
   store does not acquire. */
ATOLL_GEX_ATOMIC int atoll_gex_is_ordered(gex_OP_t opcode, gex_Flags_t flags) {
  return !(opcode == GEX_OP_GET && (flags & GEX_FLAG_AD_REL)) &&
         !(opcode == GEX_OP_SET && (flags & GEX_FLAG_AD_ACQ));
}

/* Where the number is mapped here and the inline functions may work on it; else null. */
ATOLL_GEX_ATOMIC void* atoll_gex_number(gex_AD_t ad, gex_Rank_t rank, void* address, size_t nbytes,
                                        gex_Flags_t flags) {
  gex_TM_t tm = flags & GEX_FLAG_RANK_IS_JOBRANK ? ad->by_jobrank : ad->tm;
  void* number = atoll_gex_direct(tm, rank, address, nbytes);
  return (uintptr_t)number & (nbytes - 1) ? NULL : number;
}

/* Adds, and returns the previous number. Floating numbers are compared as integers of the same
   size, because these stay in registers. */
#define ATOLL_GEX_DEFINE_INTEGER_SUM(dt, type)                       \
  ATOLL_GEX_ATOMIC type atoll_gex_add_##dt(type* number, type op1) { \
    return __atomic_fetch_add(number, op1, __ATOMIC_ACQ_REL);        \
  }

#define ATOLL_GEX_DEFINE_FLOATING_SUM(dt, type)                                                   \
  static inline type atoll_gex_add_##dt(type* number, type op1) {                                 \
    atoll_gex_bits_##dt* const place = (atoll_gex_bits_##dt*)number;                              \
    atoll_gex_bits_##dt next, seen = __atomic_load_n(place, __ATOMIC_RELAXED);                    \
    type old_value, sum;                                                                          \
    do {                                                                                          \
      memcpy(&old_value, &seen, sizeof old_value);                                                \
      sum = old_value + op1;                                                                      \
      memcpy(&next, &sum, sizeof next);                                                           \
    } while (                                                                                     \
        !__atomic_compare_exchange_n(place, &seen, next, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)); \
    return old_value;                                                                             \
  }

typedef uint32_t __attribute__((may_alias)) atoll_gex_bits_FLT;
typedef uint64_t __attribute__((may_alias)) atoll_gex_bits_DBL;
ATOLL_GEX_DEFINE_INTEGER_SUM(I32, int32_t)
ATOLL_GEX_DEFINE_INTEGER_SUM(U32, uint32_t)
ATOLL_GEX_DEFINE_INTEGER_SUM(I64, int64_t)
ATOLL_GEX_DEFINE_INTEGER_SUM(U64, uint64_t)
ATOLL_GEX_DEFINE_FLOATING_SUM(FLT, float)
ATOLL_GEX_DEFINE_FLOATING_SUM(DBL, double)

/* Every other inline operation; returns the previous number if the operation fetches. */
#define ATOLL_GEX_DEFINE_INTEGER(dt, type)                                                     \
  ATOLL_GEX_ATOMIC type atoll_gex_perform_##dt(type* number, gex_OP_t opcode, type op1,        \
                                               type op2) {                                     \
    switch (opcode) {                                                                          \
      case GEX_OP_AND:                                                                         \
        return __atomic_fetch_and(number, op1, __ATOMIC_ACQ_REL);                              \
      case GEX_OP_OR:                                                                          \
        return __atomic_fetch_or(number, op1, __ATOMIC_ACQ_REL);                               \
      case GEX_OP_XOR:                                                                         \
        return __atomic_fetch_xor(number, op1, __ATOMIC_ACQ_REL);                              \
      case GEX_OP_SUB:                                                                         \
      case GEX_OP_FSUB:                                                                        \
        return __atomic_fetch_sub(number, op1, __ATOMIC_ACQ_REL);                              \
      case GEX_OP_INC:                                                                         \
      case GEX_OP_FINC:                                                                        \
        return __atomic_fetch_add(number, 1, __ATOMIC_ACQ_REL);                                \
      case GEX_OP_DEC:                                                                         \
      case GEX_OP_FDEC:                                                                        \
        return __atomic_fetch_sub(number, 1, __ATOMIC_ACQ_REL);                                \
      case GEX_OP_SET:                                                                         \
        __atomic_store_n(number, op1, __ATOMIC_RELEASE);                                       \
        return 0;                                                                              \
      case GEX_OP_GET:                                                                         \
        return __atomic_load_n(number, __ATOMIC_ACQUIRE);                                      \
      case GEX_OP_SWAP:                                                                        \
        return __atomic_exchange_n(number, op1, __ATOMIC_ACQ_REL);                             \
      default: /* CAS, FCAS */                                                                 \
        __atomic_compare_exchange_n(number, &op1, op2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); \
        return op1;                                                                            \
    }                                                                                          \
  }

#define ATOLL_GEX_DEFINE_FLOATING(dt, type)                                             \
  ATOLL_GEX_ATOMIC type atoll_gex_perform_##dt(type* number, gex_OP_t opcode, type op1, \
                                               type op2) {                              \
    type old_value = 0;                                                                 \
    (void)op2;                                                                          \
    if (opcode == GEX_OP_GET) {                                                         \
      __atomic_load(number, &old_value, __ATOMIC_ACQUIRE);                              \
    } else if (opcode == GEX_OP_SET) {                                                  \
      __atomic_store(number, &op1, __ATOMIC_RELEASE);                                   \
    } else {                                                                            \
      __atomic_exchange(number, &op1, &old_value, __ATOMIC_ACQ_REL);                    \
    }                                                                                   \
    return old_value;                                                                   \
  }

ATOLL_GEX_DEFINE_INTEGER(I32, int32_t)
ATOLL_GEX_DEFINE_INTEGER(U32, uint32_t)
ATOLL_GEX_DEFINE_INTEGER(I64, int64_t)
ATOLL_GEX_DEFINE_INTEGER(U64, uint64_t)
ATOLL_GEX_DEFINE_FLOATING(FLT, float)
ATOLL_GEX_DEFINE_FLOATING(DBL, double)

/* gex_AD_OpNB_* returns an event. gex_AD_OpNBI_* returns zero. With GEX_FLAG_IMMEDIATE they may do
   nothing, and return GEX_EVENT_NO_OP and non-zero. A SET counts with puts (GEX_EC_PUT), a GET with
   gets, all others with GEX_EC_RMW. Operations that fetch write *result_p, which the client leaves
   alone until they are complete. tgt_addr is aligned to the type's size. Performers do one
   operation each, by the place of its bit. */
#define ATOLL_GEX_DEFINE_ATOMIC(dt, type, place, inline_ops)                                      \
  gex_Event_t atoll_gex_ad_nb_##dt(gex_AD_t ad, type* result_p, gex_Rank_t tgt_rank,              \
                                   void* tgt_addr, gex_OP_t opcode, type operand1, type operand2, \
                                   gex_Flags_t flags);                                            \
  int atoll_gex_ad_nbi_##dt(gex_AD_t ad, type* result_p, gex_Rank_t tgt_rank, void* tgt_addr,     \
                            gex_OP_t opcode, type operand1, type operand2, gex_Flags_t flags);    \
                                                                                                  \
  extern type (*const atoll_gex_performers_##dt[26])(type * number, type op1, type op2);          \
                                                                                                  \
  ATOLL_GEX_ATOMIC int atoll_gex_ad_now_##dt(gex_AD_t ad, type* result_p, gex_Rank_t tgt_rank,    \
                                             void* tgt_addr, gex_OP_t opcode, type operand1,      \
                                             type operand2, gex_Flags_t flags) {                  \
    type* number;                                                                                 \
    type old_value;                                                                               \
    if (!(ad->ops[place] & opcode) || (opcode & (opcode - 1))) return 0;                          \
    if (!atoll_gex_is_ordered(opcode, flags)) return 0;                                           \
    number = (type*)atoll_gex_number(ad, tgt_rank, tgt_addr, sizeof(type), flags);                \
    if (!ATOLL_LIKELY(number)) return 0;                                                          \
    if (opcode & (GEX_OP_ADD | GEX_OP_FADD)) {                                                    \
      old_value = atoll_gex_add_##dt(number, operand1);                                           \
    } else if (__builtin_constant_p(opcode) && (opcode & (inline_ops))) {                         \
      old_value = atoll_gex_perform_##dt(number, opcode, operand1, operand2);                     \
    } else {                                                                                      \
      old_value = atoll_gex_performers_##dt[__builtin_ctz(opcode)](number, operand1, operand2);   \
    }                                                                                             \
    if (opcode & ATOLL_GEX_OPS_FETCHING) *result_p = old_value;                                   \
    return 1;                                                                                     \
  }                                                                                               \
                                                                                                  \
  ATOLL_GEX_MUST_USE ATOLL_GEX_ATOMIC gex_Event_t gex_AD_OpNB_##dt(                               \
      gex_AD_t ad, type* result_p, gex_Rank_t tgt_rank, void* tgt_addr, gex_OP_t opcode,          \
      type operand1, type operand2, gex_Flags_t flags) {                                          \
    if (atoll_gex_ad_now_##dt(ad, result_p, tgt_rank, tgt_addr, opcode, operand1, operand2,       \
                              flags)) {                                                           \
      return GEX_EVENT_INVALID;                                                                   \
    }                                                                                             \
    return atoll_gex_ad_nb_##dt(ad, result_p, tgt_rank, tgt_addr, opcode, operand1, operand2,     \
                                flags);                                                           \
  }                                                                                               \
                                                                                                  \
  ATOLL_GEX_ATOMIC int gex_AD_OpNBI_##dt(gex_AD_t ad, type* result_p, gex_Rank_t tgt_rank,        \
                                         void* tgt_addr, gex_OP_t opcode, type operand1,          \
                                         type operand2, gex_Flags_t flags) {                      \
    if (atoll_gex_ad_now_##dt(ad, result_p, tgt_rank, tgt_addr, opcode, operand1, operand2,       \
                              flags)) {                                                           \
      return 0;                                                                                   \
    }                                                                                             \
    return atoll_gex_ad_nbi_##dt(ad, result_p, tgt_rank, tgt_addr, opcode, operand1, operand2,    \
                                 flags);                                                          \
  }

ATOLL_GEX_DEFINE_ATOMIC(I32, int32_t, 0, ATOLL_GEX_OPS_SHORT_INTEGER)
ATOLL_GEX_DEFINE_ATOMIC(U32, uint32_t, 1, ATOLL_GEX_OPS_SHORT_INTEGER)
ATOLL_GEX_DEFINE_ATOMIC(I64, int64_t, 2, ATOLL_GEX_OPS_SHORT_INTEGER)
ATOLL_GEX_DEFINE_ATOMIC(U64, uint64_t, 3, ATOLL_GEX_OPS_SHORT_INTEGER)
ATOLL_GEX_DEFINE_ATOMIC(FLT, float, 4, ATOLL_GEX_OPS_SHORT)
ATOLL_GEX_DEFINE_ATOMIC(DBL, double, 5, ATOLL_GEX_OPS_SHORT)

#ifdef __cplusplus
}
#endif

#endif
