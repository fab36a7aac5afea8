/* SPDX-License-Identifier: BSD-3-Clause

   A client that starts the library's progress thread itself: with ATOLL_PROGRESS_THREAD the library
   has one, which answers messages while the client does not poll; without it there is none.
 */
#include "client.h"

#include <poll.h>
#include <pthread.h>

enum { hidx_request = 160, hidx_reply };

static unsigned answered;

static void run_request(gex_Token_t token) { gex_AM_ReplyShort0(token, hidx_reply, 0); }
static void run_reply(gex_Token_t token) {
  (void)token;
  COUNT(answered);
}

/* Rank 0 sends requests; the others sleep in a system call and do not poll. */
static void answers_meanwhile(void) {
  gex_Rank_t i;
  if (my_rank == 0) {
    for (i = 1; i < team_size; ++i) gex_AM_RequestShort0(my_team, i, hidx_request, 0);
    GASNET_BLOCKUNTIL(READ(answered) == team_size - 1);
    for (i = 1; i < team_size; ++i) gex_RMA_PutBlockingVal(my_team, i, memory_of(i), 1, 8, 0);
  } else {
    while (__atomic_load_n((uint64_t*)(void*)my_memory, __ATOMIC_ACQUIRE) == 0) {
      poll(NULL, 0, 1);
    }
  }
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {{hidx_request, (gex_AM_Fn_t)run_request,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "run_request"},
                            {hidx_reply, (gex_AM_Fn_t)run_reply,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "run_reply"}};
  const gex_ProgressThreadInfo_t* threads = NULL;
  unsigned count = 77;
  CHECK(gex_Client_Init(&my_client, &my_endpoint, &my_team, "TEST", &argc, &argv,
                        GEX_FLAG_DEFER_THREADS) == GASNET_OK);
  my_rank = gex_TM_QueryRank(my_team);
  team_size = gex_TM_QuerySize(my_team);
  CHECK(gex_Segment_Attach(&my_segment, my_team, GASNET_PAGESIZE) == GASNET_OK);
  my_memory = (char*)gex_Segment_QueryAddr(my_segment);
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, 2) == GASNET_OK);
  CHECK(gex_System_QueryProgressThreads(my_client, &count, &threads, 0) == GASNET_OK);
  CHECK(count == (unsigned)gex_System_QueryHiddenAMConcurrencyLevel());
  barrier();
  if (count == 1) {
    pthread_t thread;
    CHECK(threads->gex_device_list != NULL && threads->gex_thread_roles == GEX_THREAD_ROLE_RCV);
    CHECK(pthread_create(&thread, NULL, threads->gex_progress_fn, threads->gex_progress_arg) == 0);
    answers_meanwhile();
  }
  if (argc > 1) CHECK(count == 1);
  finish_client();
}
