/* SPDX-License-Identifier: BSD-3-Clause

   Remote atomics of the C API: every operation on every type at every rank, with an opcode that the
   compiler knows and one that it does not, explicit and implicit, with job ranks, in immediate mode
   and in access regions; numbers that all ranks change at once; a value passed on by release and
   acquire; the queries of a domain. */
#include "client.h"

#include <gasnet_ratomic.h>
#include <sched.h>

enum { rounds = 100 };

#define ALL_INTEGER \
  (GEX_OP_AND | GEX_OP_OR | GEX_OP_XOR | GEX_OP_FAND | GEX_OP_FOR | GEX_OP_FXOR | ALL_FLOATING)
#define ALL_FLOATING                                                                           \
  (GEX_OP_ADD | GEX_OP_SUB | GEX_OP_MULT | GEX_OP_MIN | GEX_OP_MAX | GEX_OP_INC | GEX_OP_DEC | \
   GEX_OP_FADD | GEX_OP_FSUB | GEX_OP_FMULT | GEX_OP_FMIN | GEX_OP_FMAX | GEX_OP_FINC |        \
   GEX_OP_FDEC | GEX_OP_SET | GEX_OP_CAS | GEX_OP_GET | GEX_OP_SWAP | GEX_OP_FCAS)

/* Polls and yields: with more ranks than cores, the rank that we wait for may need this core. */
static void poll_politely(void) {
  gasnet_AMPoll();
  sched_yield();
}

static gex_EC_t category(gex_OP_t opcode) {
  return opcode == GEX_OP_SET ? GEX_EC_PUT : opcode == GEX_OP_GET ? GEX_EC_GET : GEX_EC_RMW;
}

/* A plain number goes round the ranks under a flag: each waits for its turn, checks the number of
   the rank before it, writes its own and passes the flag on. */
static void handed_on(void) {
  const gex_Rank_t next = (my_rank + 1) % team_size;
  uint64_t* const remote = (uint64_t*)memory_of(next);
  const gex_Flags_t promise = is_near(next) ? GEX_FLAG_AD_MY_NBRHD : 0;
  uint64_t round, seen;
  gex_AD_t ad;
  gex_AD_Create(&ad, my_team, GEX_DT_U64, GEX_OP_SET | GEX_OP_GET, 0);
  memset(my_memory, 0, 16);
  barrier();
  for (round = 1; round <= rounds; ++round) {
    const uint64_t expected = my_rank == 0 ? round - 1 : round;
    do {
      poll_politely();
      gex_Event_Wait(gex_AD_OpNB_U64(ad, &seen, my_rank, my_memory, GEX_OP_GET, 0, 0,
                                     GEX_FLAG_AD_MY_RANK | GEX_FLAG_AD_ACQ));
    } while (seen < expected);
    CHECK(((uint64_t*)my_memory)[1] == seen);
    gex_RMA_PutBlocking(my_team, next, remote + 1, &round, sizeof round, 0);
    gex_Event_Wait(
        gex_AD_OpNB_U64(ad, NULL, next, remote, GEX_OP_SET, round, 0, promise | GEX_FLAG_AD_REL));
  }
  barrier();
  gex_AD_Destroy(ad);
}

static void what_a_domain_says(void) {
  static int mark;
  gex_AD_t ad = GEX_AD_INVALID;
  gex_AD_Create(&ad, my_team, GEX_DT_DBL, GEX_OP_FADD | GEX_OP_GET, GEX_FLAG_AD_FAVOR_REMOTE);
  CHECK(ad != GEX_AD_INVALID);
  CHECK(gex_AD_QueryTM(ad) == my_team);
  CHECK(gex_AD_QueryDT(ad) == GEX_DT_DBL);
  CHECK(gex_AD_QueryOps(ad) == (GEX_OP_FADD | GEX_OP_GET));
  CHECK(gex_AD_QueryFlags(ad) == GEX_FLAG_AD_FAVOR_REMOTE);
  CHECK(gex_AD_QueryCData(ad) == NULL);
  gex_AD_SetCData(ad, &mark);
  CHECK(gex_AD_QueryCData(ad) == &mark);
  gex_AD_Destroy(ad);
}

static unsigned turn; /* counts operations, so that each comes in another way */

#define KNOWN(dt, op) \
  case op:            \
    return gex_AD_OpNB_##dt(ad, result, to, remote, op, a, b, flags);

/* start: the explicit form with an opcode that the compiler knows. operate: runs one operation to
   its end, in the form whose turn it is. */
#define DEFINE_OPERATE(dt, type, bitwise)                                                          \
  static gex_Event_t start_##dt(gex_AD_t ad, type* result, gex_Rank_t to, void* remote,            \
                                gex_OP_t opcode, type a, type b) {                                 \
    const gex_Flags_t flags = turn % 3 == 0 ? GEX_FLAG_RANK_IS_JOBRANK : 0;                        \
    switch (opcode) {                                                                              \
      bitwise KNOWN(dt, GEX_OP_ADD) KNOWN(dt, GEX_OP_SUB) KNOWN(dt, GEX_OP_MULT)                   \
          KNOWN(dt, GEX_OP_MIN) KNOWN(dt, GEX_OP_MAX) KNOWN(dt, GEX_OP_INC) KNOWN(dt, GEX_OP_DEC)  \
              KNOWN(dt, GEX_OP_FADD) KNOWN(dt, GEX_OP_FSUB) KNOWN(dt, GEX_OP_FMULT)                \
                  KNOWN(dt, GEX_OP_FMIN) KNOWN(dt, GEX_OP_FMAX) KNOWN(dt, GEX_OP_FINC)             \
                      KNOWN(dt, GEX_OP_FDEC) KNOWN(dt, GEX_OP_SET) KNOWN(dt, GEX_OP_CAS)           \
                          KNOWN(dt, GEX_OP_GET) KNOWN(dt, GEX_OP_SWAP) KNOWN(dt, GEX_OP_FCAS)      \
    }                                                                                              \
    CHECK(!"an opcode");                                                                           \
    return GEX_EVENT_INVALID;                                                                      \
  }                                                                                                \
  static void operate_##dt(gex_AD_t ad, type* result, gex_Rank_t to, void* remote,                 \
                           gex_OP_t opcode, type a, type b) {                                      \
    gex_Event_t done;                                                                              \
    switch (++turn % 5) {                                                                          \
      case 0:                                                                                      \
        gex_Event_Wait(start_##dt(ad, result, to, remote, opcode, a, b));                          \
        return;                                                                                    \
      case 1:                                                                                      \
        CHECK(gex_AD_OpNBI_##dt(ad, result, to, remote, opcode, a, b, 0) == 0);                    \
        gex_NBI_Wait(category(opcode), 0);                                                         \
        return;                                                                                    \
      case 2:                                                                                      \
        while ((done = gex_AD_OpNB_##dt(ad, result, to, remote, opcode, a, b,                      \
                                        GEX_FLAG_IMMEDIATE)) == GEX_EVENT_NO_OP) {                 \
          poll_politely();                                                                         \
        }                                                                                          \
        gex_Event_Wait(done);                                                                      \
        return;                                                                                    \
      case 3:                                                                                      \
        gex_NBI_BeginAccessRegion(0);                                                              \
        CHECK(gex_AD_OpNBI_##dt(ad, result, to, remote, opcode, a, b, GEX_FLAG_RANK_IS_JOBRANK) == \
              0);                                                                                  \
        gex_Event_Wait(gex_NBI_EndAccessRegion(0));                                                \
        return;                                                                                    \
      default:                                                                                     \
        done = gex_AD_OpNB_##dt(ad, result, to, remote, opcode, a, b,                              \
                                GEX_FLAG_AD_ACQ | GEX_FLAG_AD_REL);                                \
        while (gex_Event_Test(done) != GASNET_OK) poll_politely();                                 \
    }                                                                                              \
  }

#define BITWISE(dt)     \
  KNOWN(dt, GEX_OP_AND) \
  KNOWN(dt, GEX_OP_OR)  \
  KNOWN(dt, GEX_OP_XOR) KNOWN(dt, GEX_OP_FAND) KNOWN(dt, GEX_OP_FOR) KNOWN(dt, GEX_OP_FXOR)

/* Both forms of an operation on `initial`: each must leave `outcome`, and the fetching form must
   return `initial`. */
#define EXPECT(dt, type, initial, op, fetching, a, b, outcome)                  \
  do {                                                                          \
    type seen = (type)99;                                                       \
    operate_##dt(ad, NULL, to, remote, GEX_OP_SET, (type)(initial), (type)0);   \
    operate_##dt(ad, NULL, to, remote, op, (type)(a), (type)(b));               \
    operate_##dt(ad, &seen, to, remote, GEX_OP_GET, (type)0, (type)0);          \
    CHECK(seen == (type)(outcome));                                             \
    operate_##dt(ad, &seen, to, remote, GEX_OP_SWAP, (type)(initial), (type)0); \
    CHECK(seen == (type)(outcome));                                             \
    operate_##dt(ad, &seen, to, remote, fetching, (type)(a), (type)(b));        \
    CHECK(seen == (type)(initial));                                             \
    operate_##dt(ad, &seen, to, remote, GEX_OP_GET, (type)0, (type)0);          \
    CHECK(seen == (type)(outcome));                                             \
  } while (0)

#define DEFINE_ARITHMETIC(dt, type)                                   \
  static void arithmetic_##dt(gex_AD_t ad, gex_Rank_t to) {           \
    type* const remote = (type*)(memory_of(to) + 64 * (my_rank + 1)); \
    EXPECT(dt, type, 20, GEX_OP_ADD, GEX_OP_FADD, 22, 0, 42);         \
    EXPECT(dt, type, 20, GEX_OP_SUB, GEX_OP_FSUB, 5, 0, 15);          \
    EXPECT(dt, type, 6, GEX_OP_MULT, GEX_OP_FMULT, 7, 0, 42);         \
    EXPECT(dt, type, 6, GEX_OP_MIN, GEX_OP_FMIN, 5, 0, 5);            \
    EXPECT(dt, type, 6, GEX_OP_MIN, GEX_OP_FMIN, 7, 0, 6);            \
    EXPECT(dt, type, 6, GEX_OP_MAX, GEX_OP_FMAX, 7, 0, 7);            \
    EXPECT(dt, type, 6, GEX_OP_INC, GEX_OP_FINC, 99, 99, 7);          \
    EXPECT(dt, type, 6, GEX_OP_DEC, GEX_OP_FDEC, 99, 99, 5);          \
    EXPECT(dt, type, 6, GEX_OP_CAS, GEX_OP_FCAS, 6, 8, 8);            \
    EXPECT(dt, type, 6, GEX_OP_CAS, GEX_OP_FCAS, 7, 8, 6);            \
  }

#define DEFINE_BITWISE(dt, type)                                      \
  static void bitwise_##dt(gex_AD_t ad, gex_Rank_t to) {              \
    type* const remote = (type*)(memory_of(to) + 64 * (my_rank + 1)); \
    EXPECT(dt, type, 12, GEX_OP_AND, GEX_OP_FAND, 10, 0, 8);          \
    EXPECT(dt, type, 12, GEX_OP_OR, GEX_OP_FOR, 10, 0, 14);           \
    EXPECT(dt, type, 12, GEX_OP_XOR, GEX_OP_FXOR, 10, 0, 6);          \
    EXPECT(dt, type, -1, GEX_OP_INC, GEX_OP_FINC, 0, 0, 0);           \
  }

/* All ranks at once on the first number of the last rank. */
#define DEFINE_TOGETHER(dt, type)                             \
  static void together_##dt(gex_AD_t ad) {                    \
    const gex_Rank_t to = team_size - 1;                      \
    type* const remote = (type*)memory_of(to);                \
    type seen = 0, previous = -1;                             \
    unsigned i;                                               \
    if (my_rank == to) *(type*)my_memory = 0;                 \
    barrier();                                                \
    for (i = 0; i < rounds; ++i) {                            \
      operate_##dt(ad, &seen, to, remote, GEX_OP_FADD, 2, 0); \
      CHECK(i == 0 || seen > previous);                       \
      previous = seen;                                        \
      operate_##dt(ad, NULL, to, remote, GEX_OP_INC, 0, 0);   \
      operate_##dt(ad, NULL, to, remote, GEX_OP_MAX, 1, 0);   \
    }                                                         \
    barrier();                                                \
    operate_##dt(ad, &seen, to, remote, GEX_OP_GET, 0, 0);    \
    CHECK(seen == (type)(3 * rounds * team_size));            \
    barrier();                                                \
  }

#define DEFINE_TYPE(dt, type, operations, more)                                       \
  static void every_operation_##dt(void) {                                            \
    gex_AD_t ad;                                                                      \
    gex_Rank_t to;                                                                    \
    unsigned i;                                                                       \
    gex_AD_Create(&ad, my_team, GEX_DT_##dt, operations, GEX_FLAG_AD_FAVOR_MY_NBRHD); \
    for (to = 0; to < team_size; ++to) {                                              \
      for (i = 0; i < 5; ++i) {                                                       \
        arithmetic_##dt(ad, to);                                                      \
        more;                                                                         \
      }                                                                               \
    }                                                                                 \
    barrier();                                                                        \
    together_##dt(ad);                                                                \
    gex_AD_Destroy(ad);                                                               \
  }

#define DEFINE_INTEGER(dt, type) \
  DEFINE_ARITHMETIC(dt, type)    \
  DEFINE_BITWISE(dt, type)       \
  DEFINE_TOGETHER(dt, type)      \
  DEFINE_TYPE(dt, type, ALL_INTEGER, bitwise_##dt(ad, to))
#define DEFINE_FLOATING(dt, type) \
  DEFINE_ARITHMETIC(dt, type) DEFINE_TOGETHER(dt, type) DEFINE_TYPE(dt, type, ALL_FLOATING, (void)0)

DEFINE_OPERATE(I32, int32_t, BITWISE(I32))
DEFINE_OPERATE(U32, uint32_t, BITWISE(U32))
DEFINE_OPERATE(I64, int64_t, BITWISE(I64))
DEFINE_OPERATE(U64, uint64_t, BITWISE(U64))
DEFINE_OPERATE(FLT, float, )
DEFINE_OPERATE(DBL, double, )
DEFINE_INTEGER(I32, int32_t)
DEFINE_INTEGER(U32, uint32_t)
DEFINE_INTEGER(I64, int64_t)
DEFINE_INTEGER(U64, uint64_t)
DEFINE_FLOATING(FLT, float)
DEFINE_FLOATING(DBL, double)

int main(int argc, char** argv) {
  start_client(&argc, &argv, 65536);
  what_a_domain_says();
  every_operation_I32();
  every_operation_U32();
  every_operation_I64();
  every_operation_U64();
  every_operation_FLT();
  every_operation_DBL();
  handed_on();
  finish_client();
  return 0;
}
