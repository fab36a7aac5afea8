/* SPDX-License-Identifier: BSD-3-Clause

   Non-contiguous put and get through the C API: every form, every kind of completion, empty
   transfers, transposed and mirrored blocks, flags, local completion, and peer completion. Each
   rank works on the segment of its right neighbour; tests/conformance/strided_suite_test.cpp
   compares random shapes with a model. */
#include "client.h"

#include <gasnet_vis.h>

enum { edge = 60, wide = 100, hidx_arrived = 180 };
enum { blocking, implicit_event, explicit_event, forms };

static gex_Rank_t right;
static char* remote; /* the right neighbour's segment, by its addresses */
static int32_t local[wide * wide], got[wide * wide];
static unsigned arrivals, wrong_arrivals;

static void must(int refused) { CHECK(!refused); }

/* Waits for an explicit event by every call that the API has for it. */
static void finish(gex_Event_t event) {
  CHECK(event != GEX_EVENT_NO_OP);
  CHECK(gex_Event_QueryLeaf(event, GEX_EC_LC) == GEX_EVENT_INVALID);
  gex_Event_Wait(event);
}

static int32_t value_of(int form, int row, int column) {
  return (int32_t)(my_rank * 1000000 + (unsigned)(form * 100000 + row * 300 + column));
}

static void fill_local(int form) {
  int i, j;
  for (i = 0; i < wide; ++i) {
    for (j = 0; j < wide; ++j) local[i * wide + j] = value_of(form, i, j);
  }
}

/* Puts a block of a wider matrix into a matrix of the same width, and gets it back transposed and
   mirrored. */
static void strided(int form) {
  const ptrdiff_t row_major[2] = {wide * 4, 4}, transposed[2] = {4, wide * 4};
  const ptrdiff_t mirrored[2] = {-(wide * 4), -4};
  const size_t count[2] = {edge, edge};
  int32_t* const corner = local + 7 * wide + 11;
  int32_t* const last = got + (edge - 1) * wide + edge - 1;
  const gex_Flags_t lc = GEX_FLAG_ENABLE_LEAF_LC;
  int i, j;
  fill_local(form);
  if (form == blocking) {
    must(gex_VIS_StridedPutBlocking(my_team, right, remote, row_major, corner, row_major, 4, count,
                                    2, 0));
    must(gex_VIS_StridedGetBlocking(my_team, got, transposed, right, remote, row_major, 4, count, 2,
                                    0));
  } else if (form == implicit_event) {
    must(gex_VIS_StridedPutNBI(my_team, right, remote, row_major, corner, row_major, 4, count, 2,
                               lc));
    gex_NBI_Wait(GEX_EC_LC, 0);
    gex_NBI_Wait(GEX_EC_PUT, 0);
    must(gex_VIS_StridedGetNBI(my_team, got, transposed, right, remote, row_major, 4, count, 2, 0));
    gex_NBI_Wait(GEX_EC_GET, 0);
  } else {
    finish(gex_VIS_StridedPutNB(my_team, right, remote, row_major, corner, row_major, 4, count, 2,
                                lc));
    finish(
        gex_VIS_StridedGetNB(my_team, got, transposed, right, remote, row_major, 4, count, 2, 0));
  }
  for (i = 0; i < edge; ++i) {
    for (j = 0; j < edge; ++j) CHECK(got[j * wide + i] == value_of(form, i + 7, j + 11));
  }
  must(gex_VIS_StridedGetBlocking(my_team, last, mirrored, right, remote, row_major, 4, count, 2,
                                  0));
  CHECK(got[0] == value_of(form, edge - 1 + 7, edge - 1 + 11));
  CHECK(*last == value_of(form, 7, 11));
}

/* Every second number: in pairs in the segment, one by one in local memory. */
static void indexed(int form) {
  enum { pairs = 700 };
  static void* remote_pairs[pairs];
  static void* local_singles[2 * pairs];
  static void* got_singles[2 * pairs];
  const size_t single = 4, pair = 8;
  int i;
  fill_local(form);
  for (i = 0; i < pairs; ++i) remote_pairs[i] = remote + (pairs - 1 - i) * 12;
  for (i = 0; i < 2 * pairs; ++i) {
    local_singles[i] = local + 2 * i;
    got_singles[i] = got + 3 * i;
  }
  memset(got, 0, sizeof got);
  if (form == blocking) {
    must(gex_VIS_IndexedPutBlocking(my_team, right, pairs, remote_pairs, pair, 2 * pairs,
                                    local_singles, single, 0));
    must(gex_VIS_IndexedGetBlocking(my_team, 2 * pairs, got_singles, single, right, pairs,
                                    remote_pairs, pair, 0));
  } else if (form == implicit_event) {
    must(gex_VIS_IndexedPutNBI(my_team, right, pairs, remote_pairs, pair, 2 * pairs, local_singles,
                               single, 0));
    gex_NBI_Wait(GEX_EC_PUT, 0);
    must(gex_VIS_IndexedGetNBI(my_team, 2 * pairs, got_singles, single, right, pairs, remote_pairs,
                               pair, 0));
    gex_NBI_Wait(GEX_EC_GET, 0);
  } else {
    finish(gex_VIS_IndexedPutNB(my_team, right, pairs, remote_pairs, pair, 2 * pairs, local_singles,
                                single, GEX_FLAG_ENABLE_LEAF_LC));
    finish(gex_VIS_IndexedGetNB(my_team, 2 * pairs, got_singles, single, right, pairs, remote_pairs,
                                pair, 0));
  }
  for (i = 0; i < 2 * pairs; ++i) CHECK(got[3 * i] == local[2 * i]);
}

/* Puts pieces of growing length as one joined run, and gets that back in other pieces. */
static void vectors(int form) {
  enum { runs = 90 };
  static gex_Memvec_t pieces[runs], back[runs + 1];
  gex_Memvec_t joined;
  size_t total = 0, done = 0;
  int i;
  fill_local(form);
  for (i = 0; i < runs; ++i) {
    pieces[i].gex_addr = (char*)local + 250 * i;
    pieces[i].gex_len = (size_t)i;
    total += (size_t)i;
  }
  joined.gex_addr = remote + 5;
  joined.gex_len = total;
  for (i = 0; i <= runs; ++i) {
    const size_t length = i < runs ? total / runs : total - done;
    back[i].gex_addr = (char*)got + done;
    back[i].gex_len = length;
    done += length;
  }
  if (form == blocking) {
    must(gex_VIS_VectorPutBlocking(my_team, right, 1, &joined, runs, pieces, 0));
    must(gex_VIS_VectorGetBlocking(my_team, runs + 1, back, right, 1, &joined, 0));
  } else if (form == implicit_event) {
    gex_NBI_BeginAccessRegion(0);
    must(gex_VIS_VectorPutNBI(my_team, right, 1, &joined, runs, pieces, 0));
    gex_Event_Wait(gex_NBI_EndAccessRegion(0));
    must(gex_VIS_VectorGetNBI(my_team, runs + 1, back, right, 1, &joined, 0));
    gex_NBI_Wait(GEX_EC_ALL, 0);
  } else {
    gex_Event_t event = GEX_EVENT_NO_OP;
    while (event == GEX_EVENT_NO_OP) {
      event = gex_VIS_VectorPutNB(my_team, right, 1, &joined, runs, pieces, GEX_FLAG_IMMEDIATE);
    }
    finish(event);
    finish(gex_VIS_VectorGetNB(my_team, runs + 1, back, right, 1, &joined, 0));
  }
  for (done = 0, i = 0; i < runs; done += pieces[i].gex_len, ++i) {
    CHECK(memcmp((char*)got + done, pieces[i].gex_addr, pieces[i].gex_len) == 0);
  }
}

/* Empty transfers move nothing, and read only the arguments that the specification names. */
static void nothing(void) {
  const ptrdiff_t strides[2] = {8, 800};
  const size_t no_elements[2] = {3, 0};
  memset(got, 1, 8);
  must(gex_VIS_StridedPutBlocking(GEX_TM_INVALID, 77, NULL, NULL, NULL, NULL, 0, NULL, 5, 0));
  must(gex_VIS_StridedGetBlocking(my_team, NULL, strides, 77, NULL, strides, 8, no_elements, 2, 0));
  must(gex_VIS_VectorPutBlocking(my_team, right, 0, NULL, 0, NULL, 0));
  finish(gex_VIS_IndexedGetNB(my_team, 0, NULL, 8, right, 0, NULL, 8, 0));
  /* no dimension: one element */
  must(gex_VIS_StridedGetBlocking(my_team, got, NULL, right, remote, NULL, 8, NULL, 0, 0));
}

/* The payload is two numbers: the rank that sent it, and the first number of its block. */
static void arrived(gex_Token_t token, void* payload, size_t bytes) {
  int32_t sent[2] = {-1, -1}, found = 0;
  gex_Token_Info_t info;
  if (bytes == sizeof sent) memcpy(sent, payload, sizeof sent);
  memcpy(&found, my_memory, 4);
  gex_Token_Info(token, &info, GEX_TI_ALL);
  if ((gex_Rank_t)sent[0] != info.gex_srcrank || sent[1] != found || info.gex_is_req) {
    COUNT(wrong_arrivals);
  }
  COUNT(arrivals);
}

static void peer_completion(void) {
  const ptrdiff_t strides[2] = {wide * 4, 4};
  const size_t count[2] = {edge, edge}, no_elements[2] = {edge, 0};
  unsigned expected = 0;
  int form;
  for (form = 0; form < forms; ++form) {
    int32_t sent[2];
    sent[0] = (int32_t)my_rank;
    sent[1] = value_of(form, 0, 0);
    fill_local(form);
    barrier();
    gex_VIS_SetPeerCompletionHandler(hidx_arrived, sent, 1, 0);
    gex_VIS_SetPeerCompletionHandler(0, NULL, 0, 0);
    must(gex_VIS_StridedPutBlocking(my_team, right, remote, strides, local, strides, 4, count, 2,
                                    0)); /* disarmed: no handler runs */
    gex_VIS_SetPeerCompletionHandler(hidx_arrived, sent, sizeof sent, 0);
    if (form == blocking) {
      must(gex_VIS_StridedPutBlocking(my_team, right, remote, strides, local, strides, 4, count, 2,
                                      0));
    } else if (form == implicit_event) {
      must(gex_VIS_StridedPutNBI(my_team, right, remote, strides, local, strides, 4, count, 2, 0));
      gex_NBI_Wait(GEX_EC_PUT, 0);
    } else {
      finish(gex_VIS_StridedPutNB(my_team, right, remote, strides, local, strides, 4, count, 2, 0));
    }
    GASNET_BLOCKUNTIL(READ(arrivals) >= expected + 1);
    gex_VIS_SetPeerCompletionHandler(hidx_arrived, sent, sizeof sent, 0);
    must(gex_VIS_StridedPutBlocking(my_team, right, remote, strides, local, strides, 4, no_elements,
                                    2, 0));
    expected += 2;
    GASNET_BLOCKUNTIL(READ(arrivals) >= expected);
  }
  barrier();
  CHECK(READ(arrivals) == expected);
  CHECK(READ(wrong_arrivals) == 0);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t handler;
  int form;
  start_client(&argc, &argv, 1 << 20);
  memset(&handler, 0, sizeof handler);
  handler.gex_index = hidx_arrived;
  handler.gex_fnptr = (gex_AM_Fn_t)arrived;
  handler.gex_flags = GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY;
  handler.gex_name = "arrived";
  CHECK(gex_EP_RegisterHandlers(my_endpoint, &handler, 1) == GASNET_OK);
  CHECK(GEX_VIS_MAX_PEERCOMPLETION >= 127);
  right = (my_rank + 1) % team_size;
  remote = memory_of(right);
  for (form = 0; form < forms; ++form) {
    strided(form);
    indexed(form);
    vectors(form);
  }
  nothing();
  peer_completion();
  finish_client();
  return 0;
}
