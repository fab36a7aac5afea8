/* SPDX-License-Identifier: BSD-3-Clause

   Wrong uses, one for each word on the command line. The last rank misbehaves towards rank 0 while
   the others wait; the job must end with a message, never silently and never in a hang. The program
   itself says "not refused" if it gets past the mistake. */
#include "client.h"

enum { hidx_request = 170, hidx_reply, hidx_payload };

static const char* mistake;
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static uint64_t word;

static int is(const char* name) { return strcmp(mistake, name) == 0; }

static void run_request(gex_Token_t token) {
  if (is("request-in-handler")) gex_AM_RequestShort0(my_team, 0, hidx_request, 0);
  if (is("poll-in-handler")) gasnet_AMPoll();
  if (is("put-in-handler")) {
    gex_RMA_PutBlocking(my_team, 0, my_memory, my_memory + 65536, 65536, 0);
  }
  if (is("small-put-in-handler")) gex_RMA_PutBlockingVal(my_team, 0, my_memory, 1, 8, 0);
  if (is("barrier-in-handler")) barrier();
  if (is("lock-kept-by-handler")) gex_HSL_Lock(&lock);
  if (is("reply-twice") || strstr(mistake, "-in-reply")) gex_AM_ReplyShort0(token, hidx_reply, 0);
  if (is("reply-twice")) gex_AM_ReplyShort0(token, hidx_reply, 0);
}

static void run_reply(gex_Token_t token) {
  if (is("request-in-reply")) gex_AM_RequestShort0(my_team, 0, hidx_request, 0);
  if (is("reply-in-reply")) gex_AM_ReplyShort0(token, hidx_reply, 0);
}

static void run_payload(gex_Token_t token, void* payload, size_t bytes) {
  (void)token, (void)payload, (void)bytes;
}

static void transfers(void) {
  char* const there = memory_of(0);
  if (is("put-below")) gex_RMA_PutBlocking(my_team, 0, there - 8, &word, 8, 0);
  if (is("put-above")) gex_RMA_PutBlocking(my_team, 0, there + (1 << 20) - 4, &word, 8, 0);
  if (is("get-above")) gex_RMA_GetBlocking(my_team, &word, 0, there + (1 << 20), 1, 0);
  if (is("put-to-nobody")) gex_RMA_PutBlocking(my_team, team_size, there, &word, 8, 0);
  if (is("null-get")) gex_Event_Wait(gex_RMA_GetNB(my_team, &word, 0, NULL, 8, 0));
  if (is("long-above")) {
    gex_AM_RequestLong0(my_team, 0, hidx_payload, &word, 8, there + (1 << 20), GEX_EVENT_NOW, 0);
  }
}

static void messages(void) {
  if (is("no-handler")) gex_AM_RequestShort0(my_team, 0, 250, 0);
  if (is("wrong-arity")) gex_AM_RequestShort1(my_team, 0, hidx_request, 0, 1);
  if (is("wrong-category")) gex_AM_RequestShort0(my_team, 0, hidx_payload, 0);
  if (is("request-to-nobody")) gex_AM_RequestShort0(my_team, team_size + 3, hidx_request, 0);
  if (is("medium-too-long")) {
    const size_t bytes = gex_AM_LUBRequestMedium() + 1;
    gex_AM_RequestMedium0(my_team, 0, hidx_payload, calloc(bytes, 1), bytes, GEX_EVENT_NOW, 0);
  }
  if (strstr(mistake, "-in-handler") || strstr(mistake, "-in-reply") || is("reply-twice") ||
      is("lock-kept-by-handler")) {
    gex_AM_RequestShort0(my_team, 0, hidx_request, 0);
    GASNET_BLOCKUNTIL(0); /* until a handler here or there has made the mistake */
  }
}

static void order(void) {
  if (is("lock-and-poll")) {
    gex_HSL_Lock(&lock);
    gasnet_AMPoll();
  }
  if (is("lock-twice")) {
    gex_HSL_Lock(&lock);
    gex_HSL_Lock(&lock);
  }
  if (is("unlock-unlocked")) gex_HSL_Unlock(&lock);
  if (is("nested-region")) {
    gex_NBI_BeginAccessRegion(0);
    gex_NBI_BeginAccessRegion(0);
  }
  if (is("end-without-region")) gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  if (is("wait-without-notify")) gasnet_barrier_wait(0, 0);
  if (is("wait-for-no-op")) gex_Event_Wait(GEX_EVENT_NO_OP);
  if (is("prepare-and-poll")) {
    if (gex_AM_PrepareRequestMedium(my_team, 0, NULL, 1, 1, NULL, 0, 0)) gasnet_AMPoll();
  }
  if (is("commit-too-much")) {
    gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(my_team, 0, NULL, 1, 8, NULL, 0, 0);
    gex_AM_CommitRequestMedium0(sd, hidx_payload, 9);
  }
  if (is("exit-7")) gasnet_exit(7);
  if (is("return-9")) exit(9);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {{hidx_request, (gex_AM_Fn_t)run_request,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "run_request"},
                            {hidx_reply, (gex_AM_Fn_t)run_reply,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "run_reply"},
                            {hidx_payload, (gex_AM_Fn_t)run_payload,
                             GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 0, NULL, "run_payload"}};
  if (argc != 2) return 2;
  mistake = argv[1];
  if (is("query-before-start")) return (int)gex_System_QueryJobRank();
  start_client(&argc, &argv, 1 << 20);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  barrier();
  if (my_rank == team_size - 1) {
    transfers();
    messages();
    order();
  }
  barrier();
  barrier();
  fprintf(stderr, "not refused: %s\n", mistake);
  gasnet_exit(0);
}
