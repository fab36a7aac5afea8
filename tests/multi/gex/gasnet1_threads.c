/* SPDX-License-Identifier: BSD-3-Clause

   Threads of a GASNet-1 client in mode PAR: none is registered, and all put, get and send at once,
   each with separate handles, values and implicit operations.
 */
#include "gasnet1_client.h"

#include <pthread.h>

enum { threads = 4, rounds = 300, slot = 4096 };

static int served;
static gasnet_hsl_t guard = GASNET_HSL_INITIALIZER;
static int guarded;

static void run_serve(gasnet_token_t token, gasnet_handlerarg_t thread) {
  (void)token;
  CHECK(thread >= 0 && thread < threads);
  gasnet_hsl_lock(&guard);
  ++guarded;
  gasnet_hsl_unlock(&guard);
  COUNT(served);
}

static void* run_thread(void* argument) {
  const int me = (int)(intptr_t)argument;
  const gasnet_node_t to = next_node();
  /* The slot of this rank's thread in the next rank's segment. */
  char* const remote = memory_of(to) + me * slot;
  char out[600];
  char in[600];
  int i;
  for (i = 0; i < rounds; ++i) {
    gasnet_valget_handle_t value;
    gasnet_handle_t handle;
    memset(out, i + me, sizeof out);
    gasnet_put_nbi(to, remote, out, 300);
    handle = gasnet_put_nb(to, remote + 300, out, 300);
    gasnet_wait_syncnb(handle);
    gasnet_wait_syncnbi_puts();
    gasnet_get(in, to, remote, sizeof in);
    CHECK(memcmp(in, out, sizeof in) == 0);
    value = gasnet_get_nb_val(to, remote + 599, 1);
    CHECK((char)gasnet_wait_syncnb_valget(value) == out[0]);
    CHECK(gasnet_AMRequestShort1(to, 210, me) == GASNET_OK);
  }
  return NULL;
}

int main(int argc, char** argv) {
  gasnet_handlerentry_t handlers[] = {{210, (gex_AM_Fn_t)run_serve}};
  pthread_t running[threads];
  int i;
  start_gasnet1(&argc, &argv, handlers, 1, 16 * GASNET_PAGESIZE);
  for (i = 0; i < threads; ++i) {
    CHECK(pthread_create(&running[i], NULL, run_thread, (void*)(intptr_t)i) == 0);
  }
  for (i = 0; i < threads; ++i) CHECK(pthread_join(running[i], NULL) == 0);
  GASNET_BLOCKUNTIL(READ(served) == threads * rounds);
  CHECK(guarded == threads * rounds);
  finish();
  return 0;
}
