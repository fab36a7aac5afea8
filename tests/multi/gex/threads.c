/* SPDX-License-Identifier: BSD-3-Clause

   Many threads of a PAR client at once: each sends requests of every category and counts its
   replies, puts and gets in all forms in a separate area, prepares messages, and takes locks that
   handlers take too. Compiled for GASNET_PAR. */
#include "client.h"

#include <pthread.h>

enum { thread_count = 4, rounds = 400, area_bytes = 4096 };
enum { hidx_ask_short = 150, hidx_ask_medium, hidx_ask_long, hidx_answer, hidx_answer_medium };

static unsigned answers[thread_count]; /* by thread */
static unsigned started_threads;
static gex_HSL_t tally_lock = GEX_HSL_INITIALIZER;
static unsigned long tally; /* guarded by tally_lock */

static void add_to_tally(void) {
  gex_HSL_Lock(&tally_lock);
  ++tally;
  gex_HSL_Unlock(&tally_lock);
}

static void ask_short(gex_Token_t token, gex_AM_Arg_t thread) {
  add_to_tally();
  CHECK(gex_AM_ReplyShort1(token, hidx_answer, 0, thread) == 0);
}
static void ask_medium(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t thread) {
  gex_AM_SrcDesc_t sd;
  CHECK(filled((const char*)payload, bytes, (uint32_t)thread));
  add_to_tally();
  sd = gex_AM_PrepareReplyMedium(token, NULL, bytes, bytes, NULL, 0, 1);
  memcpy(gex_AM_SrcDescAddr(sd), payload, bytes);
  gex_AM_CommitReplyMedium1(sd, hidx_answer_medium, bytes, thread);
}
static void ask_long(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t thread) {
  CHECK(filled((const char*)payload, bytes, (uint32_t)thread));
  add_to_tally();
  CHECK(gex_AM_ReplyShort1(token, hidx_answer, 0, thread) == 0);
}
static void answer(gex_Token_t token, gex_AM_Arg_t thread) {
  (void)token;
  COUNT(answers[thread]);
}
static void answer_medium(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t thread) {
  (void)token;
  CHECK(filled((const char*)payload, bytes, (uint32_t)thread));
  COUNT(answers[thread]);
}

/* This thread's part of a rank's segment. */
static char* area(gex_Rank_t rank, int thread) {
  return memory_of(rank) + (size_t)(my_rank * thread_count + (unsigned)thread) * area_bytes * 2;
}

static void messages(gex_Rank_t to, int thread, size_t bytes) {
  char local[1024];
  const unsigned expected = READ(answers[thread]) + 3;
  fill(local, sizeof local, (uint32_t)thread);
  CHECK(gex_AM_RequestShort1(my_team, to, hidx_ask_short, 0, thread) == 0);
  CHECK(gex_AM_RequestMedium1(my_team, to, hidx_ask_medium, local, bytes, GEX_EVENT_NOW, 0,
                              thread) == 0);
  CHECK(gex_AM_RequestLong1(my_team, to, hidx_ask_long, local, bytes, area(to, thread),
                            GEX_EVENT_NOW, 0, thread) == 0);
  GASNET_BLOCKUNTIL(READ(answers[thread]) == expected);
}

static void transfers(gex_Rank_t to, int thread, size_t bytes) {
  char local[area_bytes], back[area_bytes];
  char* const remote = area(to, thread) + area_bytes;
  fill(local, bytes, (uint32_t)bytes);
  gex_Event_Wait(gex_RMA_PutNB(my_team, to, remote, local, bytes, GEX_EVENT_NOW, 0));
  CHECK(gex_RMA_GetNBI(my_team, back, to, remote, bytes, 0) == 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
  CHECK(memcmp(local, back, bytes) == 0);
  gex_NBI_BeginAccessRegion(0);
  CHECK(gex_RMA_PutNBI(my_team, to, remote, back, bytes, GEX_EVENT_DEFER, 0) == 0);
  gex_Event_Wait(gex_NBI_EndAccessRegion(0));
  CHECK(gex_RMA_GetBlocking(my_team, back, to, remote, bytes, 0) == 0);
  CHECK(memcmp(local, back, bytes) == 0);
}

static void* run_thread(void* argument) {
  const int thread = (int)(intptr_t)argument;
  int round;
  COUNT(started_threads);
  for (round = 0; round < rounds; ++round) {
    const gex_Rank_t to = (my_rank + (unsigned)round) % team_size;
    messages(to, thread, 1 + (size_t)mixed((uint32_t)round) % 1024);
    transfers(to, thread, 1 + (size_t)mixed((uint32_t)round + 1) % area_bytes);
  }
  return NULL;
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {
      {hidx_ask_short, (gex_AM_Fn_t)ask_short, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL,
       "ask_short"},
      {hidx_ask_medium, (gex_AM_Fn_t)ask_medium, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL,
       "ask_medium"},
      {hidx_ask_long, (gex_AM_Fn_t)ask_long, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 1, NULL,
       "ask_long"},
      {hidx_answer, (gex_AM_Fn_t)answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1, NULL, "answer"},
      {hidx_answer_medium, (gex_AM_Fn_t)answer_medium, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1,
       NULL, "answer_medium"}};
  pthread_t threads[thread_count];
  unsigned long expected;
  int i;
  start_client(&argc, &argv, 1 << 20);
  CHECK(gex_System_QueryMaxThreads() >= thread_count);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
  barrier();
  for (i = 0; i < thread_count; ++i) {
    CHECK(pthread_create(&threads[i], NULL, run_thread, (void*)(intptr_t)i) == 0);
  }
  for (i = 0; i < thread_count; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  barrier();
  expected = 3ul * rounds * thread_count; /* every rank is asked by one rank in each round */
  gex_HSL_Lock(&tally_lock);
  CHECK(tally == expected && READ(started_threads) == thread_count);
  gex_HSL_Unlock(&tally_lock);
  finish_client();
}
