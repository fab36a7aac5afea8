/* SPDX-License-Identifier: BSD-3-Clause

   Negotiated payload: Medium and Long, requests and replies, buffers of the library and of the
   client, sizes up to the maximum, committing less than was granted, cancelling, immediate mode,
   and many descriptors one after another so that buffers must be given back. */
#include "client.h"

enum { hidx_request_medium = 140, hidx_request_long, hidx_reply_medium, hidx_reply_long };
enum { use_client_buffer = 1, use_long = 2, variants = 4 };

static unsigned replies_seen;
static char** reply_place;  /* where my replies go at each rank */
static char* client_buffer; /* of the largest medium */
static size_t largest;

static uint32_t seed_of(gex_Rank_t from, size_t bytes) { return from * 7919u + (uint32_t)bytes; }

static void check_sizes(gex_AM_SrcDesc_t sd, const void* buffer, size_t least, size_t most) {
  CHECK(sd != GEX_AM_SRCDESC_NO_OP);
  CHECK(gex_AM_SrcDescSize(sd) >= least && gex_AM_SrcDescSize(sd) <= most);
  CHECK(gex_AM_SrcDescAddr(sd) != NULL);
  CHECK(buffer == NULL || gex_AM_SrcDescAddr(sd) == buffer);
  CHECK((uintptr_t)gex_AM_SrcDescAddr(sd) % 8 == 0);
}

/* Answers with as many bytes as arrived, prepared; requests more room than it will use. */
static void answer(gex_Token_t token, size_t bytes, int variant, gex_AM_Arg_t place) {
  char* const buffer = (variant & use_client_buffer) ? (char*)malloc(bytes + 1) : NULL;
  gex_Event_t* const lc_opt = buffer ? GEX_EVENT_NOW : NULL;
  gex_Token_Info_t info;
  gex_AM_SrcDesc_t sd;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  if (variant & use_long) {
    char* const to = reply_place[info.gex_srcrank] + place;
    sd = gex_AM_PrepareReplyLong(token, buffer, bytes, bytes + 1, NULL, lc_opt, 0, 1);
    check_sizes(sd, buffer, bytes, bytes + 1);
    fill((char*)gex_AM_SrcDescAddr(sd), bytes, seed_of(my_rank, bytes));
    gex_AM_CommitReplyLong1(sd, hidx_reply_long, bytes, to, (gex_AM_Arg_t)bytes);
  } else {
    const size_t most = bytes < largest ? bytes + 1 : bytes;
    sd = gex_AM_PrepareReplyMedium(token, buffer, bytes, most, lc_opt, 0, 1);
    check_sizes(sd, buffer, bytes, most);
    fill((char*)gex_AM_SrcDescAddr(sd), bytes, seed_of(my_rank, bytes));
    gex_AM_CommitReplyMedium(sd, hidx_reply_medium, bytes, (gex_AM_Arg_t)bytes);
  }
  free(buffer);
}

static void request_arrived(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t variant,
                            gex_AM_Arg_t place) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  CHECK(filled((const char*)payload, bytes, seed_of(info.gex_srcrank, bytes)));
  CHECK(gex_Token_MaxReplyMedium(token, GEX_EVENT_NOW, 0, 1) >= bytes);
  answer(token, bytes, variant, place);
}

static void reply_arrived(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t announced) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_SRCRANK);
  CHECK((size_t)announced == bytes);
  CHECK(filled((const char*)payload, bytes, seed_of(info.gex_srcrank, bytes)));
  COUNT(replies_seen);
}

static void send_medium(gex_Rank_t to, size_t bytes, char* buffer, int variant) {
  gex_Event_t done = GEX_EVENT_INVALID;
  gex_Event_t* const lc_opt = buffer ? &done : NULL;
  const size_t most = bytes + 5;
  gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(my_team, to, buffer, bytes, most, lc_opt, 0, 2);
  check_sizes(sd, buffer, bytes, most);
  fill((char*)gex_AM_SrcDescAddr(sd), bytes, seed_of(my_rank, bytes));
  gex_AM_CommitRequestMedium(sd, hidx_request_medium, bytes, variant, 0);
  gex_Event_Wait(done);
}

static void send_long(gex_Rank_t to, size_t bytes, char* buffer, int variant) {
  gex_Event_t* const lc_opt = buffer ? GEX_EVENT_GROUP : NULL;
  char* const place = memory_of(to) + my_rank * largest;
  gex_AM_SrcDesc_t sd =
      gex_AM_PrepareRequestLong(my_team, to, buffer, bytes, bytes, place, lc_opt, 0, 2);
  check_sizes(sd, buffer, bytes, bytes);
  fill((char*)gex_AM_SrcDescAddr(sd), bytes, seed_of(my_rank, bytes));
  while (gex_AM_CommitRequestLong_v2(sd, hidx_request_long, bytes, place, GEX_FLAG_IMMEDIATE,
                                     variant, 0) != 0) {
  }
  gex_NBI_Wait(GEX_EC_AM, 0);
}

static void send_one(gex_Rank_t to, size_t bytes, int variant) {
  const unsigned expected = replies_seen + 1;
  char* const buffer = (variant & use_client_buffer) ? client_buffer : NULL;
  if (variant & use_long) {
    send_long(to, bytes, buffer, variant);
  } else {
    send_medium(to, bytes, buffer, variant);
  }
  GASNET_BLOCKUNTIL(READ(replies_seen) == expected);
}

static void cancel_all(gex_Rank_t to) {
  int i;
  for (i = 0; i < 1000; ++i) { /* more than there are buffers */
    gex_AM_SrcDesc_t sd =
        gex_AM_PrepareRequestMedium(my_team, to, NULL, 1, largest, NULL, GEX_FLAG_IMMEDIATE, 3);
    if (sd == GEX_AM_SRCDESC_NO_OP) {
      gasnet_AMPoll();
      continue;
    }
    CHECK(gex_AM_CancelRequestMedium(sd, 0) == GASNET_OK);
    sd = gex_AM_PrepareRequestLong(my_team, to, client_buffer, 1, 10, NULL, GEX_EVENT_NOW, 0, 0);
    CHECK(gex_AM_CancelRequestLong(sd, 0) == GASNET_OK);
  }
}

int main(int argc, char** argv) {
  static const size_t sizes[] = {1, 8, 100, 4096, 5000};
  gex_AM_Entry_t table[] = {{hidx_request_medium, (gex_AM_Fn_t)request_arrived,
                             GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 2, NULL, "request_arrived"},
                            {hidx_request_long, (gex_AM_Fn_t)request_arrived,
                             GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 2, NULL, "request_arrived"},
                            {hidx_reply_medium, (gex_AM_Fn_t)reply_arrived,
                             GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1, NULL, "reply_arrived"},
                            {hidx_reply_long, (gex_AM_Fn_t)reply_arrived,
                             GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, 1, NULL, "reply_arrived"}};
  gex_Rank_t i;
  int variant;
  size_t s;
  start_client(&argc, &argv, 1 << 24);
  largest = gex_AM_LUBReplyMedium();
  CHECK(largest >= 512 && gex_AM_LUBRequestMedium() >= 512);
  CHECK(gex_AM_MaxRequestMedium(my_team, GEX_RANK_INVALID, NULL, GEX_FLAG_AM_PREPARE_LEAST_ALLOC,
                                16) >= 512);
  client_buffer = (char*)malloc(largest + 16);
  reply_place = (char**)calloc(team_size, sizeof *reply_place);
  for (i = 0; i < team_size; ++i) {
    reply_place[i] = memory_of(i) + (team_size + my_rank) * (largest + 16);
  }
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  barrier();
  for (i = 0; i < team_size; ++i) {
    const gex_Rank_t to = (my_rank + i) % team_size;
    for (variant = 0; variant < variants; ++variant) {
      for (s = 0; s < sizeof sizes / sizeof *sizes; ++s) send_one(to, sizes[s], variant);
      send_one(to, largest - 5, variant);
    }
    cancel_all(to);
    for (s = 0; s < 300; ++s) send_one(to, 64 + s, (int)(s % variants));
  }
  finish_client();
}
