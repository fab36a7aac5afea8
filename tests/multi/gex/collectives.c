/* SPDX-License-Identifier: BSD-3-Clause

   Broadcast and reductions through the C API: every root, sizes around what one message holds, all
   types and operations against numbers computed here, a client's own operations (one of them not
   commutative, so that the order of ranks shows), in place, many under way, on teams and their
   parts. */
#include "client.h"

#include <gasnet_coll.h>

enum { bytes_max = 300001, count_max = 1000 };

static char* sent;
static char* received;

/* ---- broadcast ------------------------------------------------------------------------------ */

static void broadcasts(gex_TM_t tm) {
  static const size_t sizes[] = {0, 1, 8, 57, 1000, 16385, bytes_max};
  const gex_Rank_t rank = gex_TM_QueryRank(tm), size = gex_TM_QuerySize(tm);
  gex_Rank_t root;
  size_t i;
  for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    for (root = 0; root < size; ++root) {
      const uint32_t seed = (uint32_t)(i * 100 + root);
      const int in_place = (i + root) % 2;
      char* const from = in_place ? received : sent;
      memset(received, 0, sizes[i] + 1);
      if (rank == root) fill(from, sizes[i], seed);
      gex_Event_Wait(
          gex_Coll_BroadcastNB(tm, root, received, rank == root ? from : NULL, sizes[i], 0));
      CHECK(filled(received, sizes[i], seed) && received[sizes[i]] == 0);
    }
  }
}

/* ---- built-in operations -------------------------------------------------------------------- */

/* The value of rank r's element i: small and never 0, so that products stay exact. */
static int given(gex_Rank_t r, size_t i) { return 1 + (int)(mixed((uint32_t)(r * 977 + i)) % 4u); }

/* Fills, reduces to all and to each root in turn, compares; for one type. */
#define DEFINE_REDUCTIONS(name, type, dt, has_bits)                                               \
  static type name##_expected(gex_OP_t op, gex_Rank_t size, size_t i) {                           \
    type result = (type)given(0, i);                                                              \
    gex_Rank_t r;                                                                                 \
    for (r = 1; r < size; ++r) {                                                                  \
      const type next = (type)given(r, i);                                                        \
      if (op == GEX_OP_ADD) result = (type)(result + next);                                       \
      if (op == GEX_OP_MULT) result = (type)(result * next);                                      \
      if (op == GEX_OP_MIN && next < result) result = next;                                       \
      if (op == GEX_OP_MAX && next > result) result = next;                                       \
      if (op == GEX_OP_AND) result = (type)((uint64_t)result & (uint64_t)next);                   \
      if (op == GEX_OP_OR) result = (type)((uint64_t)result | (uint64_t)next);                    \
      if (op == GEX_OP_XOR) result = (type)((uint64_t)result ^ (uint64_t)next);                   \
    }                                                                                             \
    return result;                                                                                \
  }                                                                                               \
  static void name##_one(gex_TM_t tm, gex_OP_t op, size_t count, gex_Rank_t root) {               \
    const gex_Rank_t rank = gex_TM_QueryRank(tm), size = gex_TM_QuerySize(tm);                    \
    type *from = (type*)sent, *to = (type*)received;                                              \
    const int to_all = root == size, in_place = count % 2 == 1;                                   \
    size_t i;                                                                                     \
    if (in_place) from = to;                                                                      \
    for (i = 0; i < count; ++i) from[i] = (type)given(rank, i);                                   \
    gex_Event_Wait(                                                                               \
        to_all ? gex_Coll_ReduceToAllNB(tm, to, from, dt, sizeof(type), count, op, NULL, NULL, 0) \
               : gex_Coll_ReduceToOneNB(tm, root, to, from, dt, sizeof(type), count, op, NULL,    \
                                        NULL, 0));                                                \
    for (i = 0; (to_all || rank == root) && i < count; ++i) {                                     \
      CHECK(to[i] == name##_expected(op, size, i));                                               \
    }                                                                                             \
  }                                                                                               \
  static void name##_reductions(gex_TM_t tm) {                                                    \
    static const gex_OP_t ops[] = {GEX_OP_ADD, GEX_OP_MULT, GEX_OP_MIN, GEX_OP_MAX,               \
                                   GEX_OP_AND, GEX_OP_OR,   GEX_OP_XOR};                          \
    static const size_t counts[] = {0, 1, 2, 7, 64, count_max - 1};                               \
    size_t i, j;                                                                                  \
    for (i = 0; i < (has_bits ? 7 : 4); ++i) {                                                    \
      for (j = 0; j < sizeof counts / sizeof *counts; ++j) {                                      \
        name##_one(tm, ops[i], counts[j], gex_TM_QuerySize(tm));                                  \
        name##_one(tm, ops[i], counts[j], (gex_Rank_t)((i + j) % gex_TM_QuerySize(tm)));          \
      }                                                                                           \
    }                                                                                             \
  }

DEFINE_REDUCTIONS(i32, int32_t, GEX_DT_I32, 1)
DEFINE_REDUCTIONS(u32, uint32_t, GEX_DT_U32, 1)
DEFINE_REDUCTIONS(i64, int64_t, GEX_DT_I64, 1)
DEFINE_REDUCTIONS(u64, uint64_t, GEX_DT_U64, 1)
DEFINE_REDUCTIONS(flt, float, GEX_DT_FLT, 0)
DEFINE_REDUCTIONS(dbl, double, GEX_DT_DBL, 0)

static void built_in(gex_TM_t tm) {
  i32_reductions(tm);
  u32_reductions(tm);
  i64_reductions(tm);
  u64_reductions(tm);
  flt_reductions(tm);
  dbl_reductions(tm);
}

/* ---- operations of the client --------------------------------------------------------------- */

/* x -> a x + b modulo a prime. Composition keeps the order: it is not commutative. */
struct affine {
  uint32_t a, b;
  char pad[5]; /* an element is of any size */
};
static const uint32_t prime = 65521;

static struct affine affine_of(gex_Rank_t rank, size_t i) {
  struct affine made;
  memset(&made, 0, sizeof made);
  made.a = 2 + mixed((uint32_t)(rank + 31 * i)) % 1000u;
  made.b = mixed((uint32_t)(rank + 37 * i)) % 1000u;
  return made;
}

/* Applies `first`, then `second`. */
static struct affine chain(struct affine first, struct affine second) {
  struct affine composition = second;
  composition.a = first.a * second.a % prime;
  composition.b = (second.a * first.b + second.b) % prime;
  return composition;
}

static void compose(const void* first, void* second_and_out, size_t count, const void* cdata) {
  const struct affine* const a = (const struct affine*)first;
  struct affine* const b = (struct affine*)second_and_out;
  size_t i;
  CHECK(cdata == &prime);
  for (i = 0; i < count; ++i) b[i] = chain(a[i], b[i]);
}

static void add_bytes(const void* first, void* second_and_out, size_t count, const void* cdata) {
  const uint8_t* const a = (const uint8_t*)first;
  uint8_t* const b = (uint8_t*)second_and_out;
  size_t i;
  CHECK(cdata == NULL);
  for (i = 0; i < count; ++i) b[i] = (uint8_t)(a[i] + b[i]);
}

static void ordered(gex_TM_t tm, size_t count, gex_Rank_t root) {
  const gex_Rank_t rank = gex_TM_QueryRank(tm), size = gex_TM_QuerySize(tm);
  struct affine *from = (struct affine*)sent, *to = (struct affine*)received;
  const int to_all = root == size;
  size_t i;
  gex_Rank_t r;
  for (i = 0; i < count; ++i) from[i] = affine_of(rank, i);
  gex_Event_Wait(
      to_all ? gex_Coll_ReduceToAllNB(tm, to, from, GEX_DT_USER, sizeof *from, count,
                                      GEX_OP_USER_NC, compose, (void*)(uintptr_t)&prime, 0)
             : gex_Coll_ReduceToOneNB(tm, root, to, from, GEX_DT_USER, sizeof *from, count,
                                      GEX_OP_USER_NC, compose, (void*)(uintptr_t)&prime, 0));
  for (i = 0; (to_all || rank == root) && i < count; ++i) {
    struct affine expected = affine_of(0, i);
    for (r = 1; r < size; ++r) expected = chain(expected, affine_of(r, i));
    CHECK(to[i].a == expected.a && to[i].b == expected.b);
  }
}

static void of_clients(gex_TM_t tm) {
  const gex_Rank_t size = gex_TM_QuerySize(tm);
  uint8_t *from = (uint8_t*)sent, *to = (uint8_t*)received;
  gex_Rank_t root;
  size_t i;
  for (root = 0; root <= size; ++root) {
    ordered(tm, 1, root);
    ordered(tm, 13, root);
    ordered(tm, 3001, root);
  }
  for (i = 0; i < count_max; ++i) from[i] = (uint8_t)given(gex_TM_QueryRank(tm), i);
  gex_Event_Wait(gex_Coll_ReduceToAllNB(tm, to, from, GEX_DT_USER, 1, count_max, GEX_OP_USER,
                                        add_bytes, NULL, 0));
  for (i = 0; i < count_max; ++i) CHECK(to[i] == (uint8_t)u32_expected(GEX_OP_ADD, size, i));
}

/* ---- several under way ---------------------------------------------------------------------- */

/* Broadcasts and sums on two teams, completed in another order than they were started. */
static void many_under_way(gex_TM_t first, gex_TM_t second) {
  enum { many = 150 };
  static uint64_t in[many], out[many];
  static gex_Event_t events[many];
  int i;
  for (i = 0; i < many; ++i) {
    const gex_TM_t tm = i % 3 == 2 ? second : first;
    const gex_Rank_t root = (gex_Rank_t)i % gex_TM_QuerySize(tm);
    in[i] = (uint64_t)i * (gex_TM_QueryRank(tm) + 1);
    out[i] = ~(uint64_t)0;
    if (i % 2) {
      events[i] = gex_Coll_BroadcastNB(tm, root, &out[i], &in[i], 8, 0);
    } else {
      events[i] =
          gex_Coll_ReduceToAllNB(tm, &out[i], &in[i], GEX_DT_U64, 8, 1, GEX_OP_ADD, NULL, NULL, 0);
    }
  }
  for (i = many - 1; i > many / 2; --i) {
    while (gex_Event_Test(events[i]) != GASNET_OK) gasnet_AMPoll();
  }
  gex_Event_WaitAll(events, many / 2 + 1, 0);
  for (i = 0; i < many; ++i) {
    const gex_TM_t tm = i % 3 == 2 ? second : first;
    const uint64_t size = gex_TM_QuerySize(tm), root = (uint64_t)i % size;
    CHECK(out[i] == (uint64_t)i * (i % 2 ? root + 1 : size * (size + 1) / 2));
  }
}

int main(int argc, char** argv) {
  gex_TM_t halves, reversed;
  int round;
  start_client(&argc, &argv, 1 << 16);
  sent = (char*)calloc(bytes_max + 1, 1);
  received = (char*)calloc(bytes_max + 1, 1);
  CHECK(gex_TM_Split(&halves, my_team, (int)(my_rank % 2), 0, NULL, 0, 0) == 0);
  CHECK(gex_TM_Split(&reversed, my_team, 0, -(int)my_rank, NULL, 0, 0) == 0);
  broadcasts(my_team);
  broadcasts(halves);
  built_in(my_team);
  built_in(halves);
  of_clients(my_team);
  of_clients(reversed);
  of_clients(halves);
  for (round = 0; round < 20; ++round) {
    many_under_way(my_team, halves);
    many_under_way(reversed, halves);
  }
  gex_TM_Destroy(halves, NULL, 0);
  gex_TM_Destroy(reversed, NULL, 0);
  free(sent);
  free(received);
  finish_client();
}
