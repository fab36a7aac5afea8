/* SPDX-License-Identifier: BSD-3-Clause

   A ring of ranks that flood each other with requests, every one answered: mediums of all sizes,
   longs and shorts mixed, from every rank at once and far more than any queue holds. No rank may
   deadlock, no message may be lost, and immediate mode may refuse but never loses accepted ones. */
#include "client.h"

enum { messages = 20000, longest = 6000 };
enum { hidx_ask = 160, hidx_ask_long, hidx_ask_short, hidx_answer };

static unsigned answered;
static uint64_t sum_asked; /* of the arguments that arrived here */
static char outgoing[longest];

static void reply_to(gex_Token_t token, gex_AM_Arg_t number) {
  __atomic_fetch_add(&sum_asked, (uint64_t)number, __ATOMIC_RELAXED);
  CHECK(gex_AM_ReplyShort0(token, hidx_answer, 0) == 0);
}
static void ask(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t number) {
  const char* const data = (const char*)payload;
  CHECK(bytes == 0 || (data[0] == outgoing[0] && data[bytes - 1] == outgoing[bytes - 1]));
  reply_to(token, number);
}
static void ask_short(gex_Token_t token, gex_AM_Arg_t number) { reply_to(token, number); }
static void answer(gex_Token_t token) {
  (void)token;
  COUNT(answered);
}

static int send_one(gex_Rank_t to, int number, gex_Flags_t flags) {
  const size_t bytes = mixed((uint32_t)number) % (longest + 1);
  switch (number % 4) {
    case 0:
      return gex_AM_RequestShort1(my_team, to, hidx_ask_short, flags, number);
    case 1:
      return gex_AM_RequestLong1(my_team, to, hidx_ask_long, outgoing, bytes,
                                 memory_of(to) + my_rank * longest, GEX_EVENT_NOW, flags, number);
    default:
      return gex_AM_RequestMedium1(my_team, to, hidx_ask, outgoing, bytes, GEX_EVENT_NOW, flags,
                                   number);
  }
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {
      {hidx_ask, (gex_AM_Fn_t)ask, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "ask"},
      {hidx_ask_long, (gex_AM_Fn_t)ask, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1, NULL, "ask"},
      {hidx_ask_short, (gex_AM_Fn_t)ask_short, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL,
       "ask_short"},
      {hidx_answer, (gex_AM_Fn_t)answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "answer"}};
  gex_Rank_t to;
  int i;
  start_client(&argc, &argv, 1 << 20);
  fill(outgoing, longest, 1);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  to = (my_rank + 1) % team_size;
  barrier();
  for (i = 0; i < messages; ++i) {
    if (i % 3 != 0 || send_one(to, i, GEX_FLAG_IMMEDIATE) != 0) CHECK(send_one(to, i, 0) == 0);
  }
  GASNET_BLOCKUNTIL(READ(answered) == messages);
  barrier();
  CHECK(sum_asked == (uint64_t)messages * (messages - 1) / 2);
  finish_client();
}
