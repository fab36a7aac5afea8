/* SPDX-License-Identifier: BSD-3-Clause

   Handlers that send requests, which they may not, in a program that is not compiled for
   debugging: each message is forwarded by several ranks, in handlers of requests and replies, and
   every rank sends many at once, more than there is room for. All arrive, with their content. */
#include "client.h"

enum { hidx_hop = 200, hidx_bounce, hidx_bounced };
enum { hops = 5, messages = 20000 };

static unsigned char payload[3000];
static int ended;

static int size_of(int number) { return number % (int)sizeof payload; }

static void forward(int number, int left) {
  const gex_Rank_t next = (my_rank + 1) % team_size;
  gex_AM_RequestMedium2(my_team, next, hidx_hop, payload, (size_t)size_of(number), GEX_EVENT_NOW, 0,
                        number, left);
}

static void run_hop(gex_Token_t token, void* bytes, size_t count, gex_AM_Arg_t number,
                    gex_AM_Arg_t left) {
  (void)token;
  CHECK(count == (size_t)size_of(number) && memcmp(bytes, payload, count) == 0);
  if (left > 1) {
    forward(number, left - 1);
  } else if (left == 1) {
    const gex_Rank_t next = (my_rank + 1) % team_size;
    gex_AM_RequestShort1(my_team, next, hidx_bounce, 0, number);
  } else {
    COUNT(ended);
  }
}

static void run_bounce(gex_Token_t token, gex_AM_Arg_t number) {
  gex_AM_ReplyShort1(token, hidx_bounced, 0, number);
}

static void run_bounced(gex_Token_t token, gex_AM_Arg_t number) {
  (void)token;
  forward(number, 0);
}

int main(int argc, char** argv) {
  const gex_Flags_t request = GEX_FLAG_AM_REQUEST, is_short = GEX_FLAG_AM_SHORT;
  gex_AM_Entry_t table[] = {
      {hidx_hop, (gex_AM_Fn_t)run_hop, GEX_FLAG_AM_MEDIUM | request, 2, NULL, "hop"},
      {hidx_bounce, (gex_AM_Fn_t)run_bounce, is_short | request, 1, NULL, "bounce"},
      {hidx_bounced, (gex_AM_Fn_t)run_bounced, is_short | GEX_FLAG_AM_REPLY, 1, NULL, "bounced"}};
  int i;
  for (i = 0; i < (int)sizeof payload; ++i) payload[i] = (unsigned char)mixed((uint32_t)i);
  start_client(&argc, &argv, GASNET_PAGESIZE);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  barrier();
  for (i = 0; i < messages; ++i) forward(i, hops);
  GASNET_BLOCKUNTIL(READ(ended) == messages);
  finish_client();
}
