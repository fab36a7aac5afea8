/* SPDX-License-Identifier: BSD-3-Clause

   Questions that a client may ask before it starts the library, because the answers need no job:
   limits of messages, threads, the environment, texts, locks, time. The answers hold after the
   start. Only gasnetex.h is included, which also defines the internal names of GASNet that clients
   use. */
#include "client.h"

static gex_HSL_t lock = GEX_HSL_INITIALIZER;

struct answers {
  size_t request_medium, reply_medium, request_long, reply_long;
  unsigned args;
  uint64_t threads;
  int hidden;
};

static struct answers ask(void) {
  struct answers out;
  out.request_medium = gex_AM_LUBRequestMedium();
  out.reply_medium = gex_AM_LUBReplyMedium();
  out.request_long = gex_AM_LUBRequestLong();
  out.reply_long = gex_AM_LUBReplyLong();
  out.args = gex_AM_MaxArgs();
  out.threads = gex_System_QueryMaxThreads();
  out.hidden = gex_System_QueryHiddenAMConcurrencyLevel();
  return out;
}

static void job_is_not_needed(void) {
  const gasneti_tick_t begin = gasneti_ticks_now();
  gex_System_SetVerboseErrors(0);
  CHECK(gex_System_GetVerboseErrors() == 0);
  CHECK(gasnet_set_waitmode(-7) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_set_waitmode(GASNET_WAIT_BLOCK) == GASNET_OK);
  CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_RESOURCE), "GASNET_ERR_RESOURCE") == 0);
  CHECK(gasnet_ErrorDesc(GASNET_OK) != NULL);
  CHECK(gasnet_getenv("PATH") != NULL && gasnet_getenv("NO_SUCH_VARIABLE_HERE") == NULL);
  CHECK(GASNET_GET_THREADINFO() == NULL);
  gex_HSL_Init(&lock);
  gex_HSL_Lock(&lock);
  gex_HSL_Unlock(&lock);
  CHECK(gex_HSL_Trylock(&lock) == GASNET_OK);
  gex_HSL_Unlock(&lock);
  gex_HSL_Destroy(&lock);
  CHECK(gasneti_gethostname()[0] != '\0');
  CHECK(gasneti_ticks_to_ns(gasneti_ticks_now() - begin) < (uint64_t)60 * 1000 * 1000 * 1000);
  gex_System_SetVerboseErrors(1);
}

int main(void) {
  const struct answers initial = ask();
  struct answers current;
  gex_Rank_t i;
  job_is_not_needed();
  CHECK(initial.request_medium >= 512 && initial.request_long >= 512 && initial.args >= 16);
  start_client(NULL, NULL, GASNET_PAGESIZE);
  current = ask();
  CHECK(current.request_medium == initial.request_medium &&
        current.reply_medium == initial.reply_medium);
  CHECK(current.request_long == initial.request_long && current.reply_long == initial.reply_long);
  CHECK(current.args == initial.args && current.threads == initial.threads);
  CHECK(current.hidden == initial.hidden);
  for (i = 0; i < team_size; ++i) {
    CHECK(gex_AM_MaxRequestMedium(my_team, i, NULL, 0, 16) >= initial.request_medium);
    CHECK(gex_AM_MaxReplyLong(my_team, i, NULL, 0, 16) >= initial.reply_long);
  }
  finish_client();
}
