/* SPDX-License-Identifier: BSD-3-Clause

   The tools in a GASNet-EX client: beside gasnetex.h, at several ranks, with the parts that only
   clients have: values as text, pages, atomics that handlers change. */
#include <gasnet_tools.h> /* before gasnetex.h, which may come second */

#include <gasnetex.h>

#include <string.h>

#define CHECK(condition)                                                  \
  do {                                                                    \
    if (!(condition)) gasnett_fatalerror("%s does not hold", #condition); \
  } while (0)

enum { hidx_count = 200, requests = 100 };

static gasnett_atomic_t handled = gasnett_atomic_init(0);
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;

static void count_request(gex_Token_t token, gex_AM_Arg_t amount) {
  (void)token;
  gasnett_atomic_add(&handled, (uint32_t)amount, GASNETT_ATOMIC_REL);
}

static void values_become_text(void) {
  char text[2048];
  const ptrdiff_t strides[2] = {8, -64};
  const size_t count[2] = {3, 4};
  void* addresses[2] = {text, NULL};
  size_t bytes = gasnett_format_dt(NULL, GEX_DT_I32 | GEX_DT_DBL);
  CHECK(gasnett_format_dt(text, GEX_DT_I32 | GEX_DT_DBL) == bytes && strlen(text) + 1 == bytes);
  CHECK(strcmp(text, "GEX_DT_I32|GEX_DT_DBL") == 0);
  gasnett_format_op(text, GEX_OP_FADD | GEX_OP_SWAP);
  CHECK(strcmp(text, "GEX_OP_FADD|GEX_OP_SWAP") == 0);
  gasnett_format_ti(text, GEX_TI_EP);
  CHECK(strcmp(text, "GEX_TI_EP") == 0);
  gasnett_format_ti(text, 0);
  CHECK(strcmp(text, "0") == 0);
  CHECK(gasnett_format_addrlist(text, 2, addresses, 7) <= gasnett_format_addrlist_bufsz(2));
  CHECK(strstr(text, "2 pieces of 7 bytes") != NULL);
  bytes = gasnett_format_putsgets(text, NULL, GEX_TM_INVALID, 3, text, strides, text, strides, 8,
                                  count, 2);
  CHECK(bytes <= gasnett_format_putsgets_bufsz(2) && strstr(text, "{8, -64}") != NULL);
}

static void no_handlers_are_needed_for_a_diagnosis(void) {
  gex_AM_Entry_t* table = NULL;
  int count = -1;
  gasnett_diagnostic_gethandlers(&table, &count);
  CHECK(table != NULL && count == 0);
}

static void pages_are_fresh(void) {
  char* const pages = (char*)gasnett_mmap(GASNETT_PAGESIZE);
  CHECK((uintptr_t)pages % GASNETT_PAGESIZE == 0);
  CHECK(gasnett_count0s(pages, GASNETT_PAGESIZE) == GASNETT_PAGESIZE);
  GASNETT_FAST_ALIGNED_MEMCPY(pages, "page", 5);
  CHECK(strcmp(pages, "page") == 0);
}

int main(int argc, char** argv) {
  gex_AM_Entry_t table[] = {{hidx_count, (gex_AM_Fn_t)count_request,
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "count_request"}};
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Rank_t size;
  int i;
  CHECK(gex_Client_Init(&client, &endpoint, &team, "TOOLS", &argc, &argv, 0) == GASNET_OK);
  CHECK(gex_EP_RegisterHandlers(endpoint, table, 1) == GASNET_OK);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  size = gex_TM_QuerySize(team);
  CHECK(GASNETT_MAX_THREADS <= gex_System_QueryMaxThreads());
  values_become_text();
  pages_are_fresh();
  no_handlers_are_needed_for_a_diagnosis();
  gasnett_setenv("GASNET_VERBOSEENV", "1");
  CHECK(gasnett_verboseenv() == (gex_System_QueryJobRank() == 0));
  gasnett_mutex_lock(&mutex);
  gasnett_mutex_assertlocked(&mutex);
  gasnett_mutex_unlock(&mutex);
  for (i = 0; i < requests; ++i) {
    const gex_Rank_t to = (gex_TM_QueryRank(team) + 1) % size;
    CHECK(gex_AM_RequestShort1(team, to, hidx_count, 0, 2) == 0);
  }
  GASNET_BLOCKUNTIL(gasnett_atomic_read(&handled, GASNETT_ATOMIC_ACQ) == 2 * requests);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gasnet_exit(0);
}
