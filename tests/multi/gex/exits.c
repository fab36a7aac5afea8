/* SPDX-License-Identifier: BSD-3-Clause

   A handler on the last rank ends the job while the others wait: by gasnet_exit(), and by exit() in
   the handler of a request or of a reply, in a program that registered a function which
   communicates at exit. The code is always 7. */
#include "client.h"

enum { hidx_end = 200, hidx_ask, hidx_end_own, hidx_question, hidx_answer };

static const char* ending;
static gex_HSL_t lock = GEX_HSL_INITIALIZER;
static char* remote; /* memory of rank 0 */
static int answers;

static int is_ending(const char* name) { return strcmp(ending, name) == 0; }

static void run_end(gex_Token_t token) {
  (void)token;
  if (is_ending("gasnet_exit")) gasnet_exit(7);
  if (is_ending("exit-with-lock")) gex_HSL_Lock(&lock);
  exit(7);
}

static void run_ask(gex_Token_t token) { gex_AM_ReplyShort0(token, hidx_end_own, 0); }
static void run_question(gex_Token_t token) { gex_AM_ReplyShort0(token, hidx_answer, 0); }
static void run_answer(gex_Token_t token) { (void)token, COUNT(answers); }

static void at_exit(void) {
  int i;
  if (is_ending("gasnet_exit") || is_ending("exit") || my_rank != team_size - 1) return;
  for (i = 0; i < 3; ++i) gasnet_AMPoll();
  for (i = 0; i < 1000; ++i) gex_AM_RequestShort0(my_team, 0, hidx_question, 0);
  GASNET_BLOCKUNTIL(READ(answers) == 1000);
  gex_RMA_PutBlockingVal(my_team, 0, remote, 1, 8, 0);
  if (is_ending("exit-with-lock")) {
    gex_HSL_Unlock(&lock);
  } else {
    gex_HSL_Lock(&lock);
    gex_HSL_Unlock(&lock);
  }
  fprintf(stderr, "all was answered at the exit\n");
}

int main(int argc, char** argv) {
  const gex_Flags_t request = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST;
  const gex_Flags_t reply = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY;
  gex_AM_Entry_t table[] = {{hidx_end, (gex_AM_Fn_t)run_end, request, 0, NULL, "run_end"},
                            {hidx_ask, (gex_AM_Fn_t)run_ask, request, 0, NULL, "run_ask"},
                            {hidx_end_own, (gex_AM_Fn_t)run_end, reply, 0, NULL, "run_end"},
                            {hidx_question, (gex_AM_Fn_t)run_question, request, 0, NULL, "ask"},
                            {hidx_answer, (gex_AM_Fn_t)run_answer, reply, 0, NULL, "answer"}};
  ending = argc > 1 ? argv[1] : "";
  start_client(&argc, &argv, GASNET_PAGESIZE);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  remote = memory_of(0);
  CHECK(atexit(at_exit) == 0);
  barrier();
  if (is_ending("exit-in-reply")) {
    if (my_rank == team_size - 1) gex_AM_RequestShort0(my_team, 0, hidx_ask, 0);
  } else if (my_rank == 0) {
    gex_AM_RequestShort0(my_team, team_size - 1, hidx_end, 0);
  }
  for (;;) gasnet_AMPoll();
}
