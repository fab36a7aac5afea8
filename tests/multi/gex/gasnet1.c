/* SPDX-License-Identifier: BSD-3-Clause

   A GASNet-1 client of one thread: start, tables, every form of put, get and memset, handles,
   values, access regions, the named barrier, locks and the messages, which several threads may use
   too. Each rank works on the segment of the next one, so any count of ranks, even one, covers
   everything.
 */
#include "gasnet1_client.h"

enum { words = 4096, segment_pages = 64 };

static int replies;
static gasnet_node_t last_source;

static void run_ping(gasnet_token_t token) {
  CHECK(gasnet_AMGetMsgSource(token, &last_source) == GASNET_OK);
  CHECK(gasnet_AMReplyShort2(token, 200, 7, -8) == GASNET_OK);
}
/* Registered once, and called with whatever comes, as GASNet-1 allows. */
static void run_pong(gasnet_token_t token, gasnet_handlerarg_t a, gasnet_handlerarg_t b) {
  (void)token;
  CHECK(a == 7 && b == -8);
  COUNT(replies);
}
static void run_medium(gasnet_token_t token, void* payload, size_t bytes, gasnet_handlerarg_t a) {
  CHECK(bytes == 100 && ((char*)payload)[99] == 'm' && a == 5);
  CHECK(gasnet_AMReplyMedium0(token, 202, payload, bytes) == GASNET_OK);
}
static void run_medium_reply(gasnet_token_t token, void* payload, size_t bytes) {
  (void)token;
  CHECK(bytes == 100 && ((char*)payload)[0] == 'm');
  COUNT(replies);
}
static void run_long(gasnet_token_t token, void* payload, size_t bytes, gasnet_handlerarg_t a) {
  gasnet_node_t source;
  CHECK(gasnet_AMGetMsgSource(token, &source) == GASNET_OK);
  CHECK((char*)payload == memory_of(gasnet_mynode()) + 64 && a == 9);
  CHECK(bytes == 0 || ((char*)payload)[bytes - 1] == 'l');
  CHECK(gasnet_AMReplyLong1(token, 204, payload, bytes, memory_of(source) + 8192, 10) == GASNET_OK);
}
static void run_long_reply(gasnet_token_t token, void* payload, size_t bytes,
                           gasnet_handlerarg_t a) {
  (void)token;
  (void)bytes;
  CHECK((char*)payload == memory_of(gasnet_mynode()) + 8192 && a == 10);
  COUNT(replies);
}

/* The first messages, which ranks send as soon as they are attached. Only a progress thread may run
 * their handler before. */
static int is_attached, first_messages;
static void run_first(gasnet_token_t token) {
  (void)token;
  CHECK(is_attached || getenv("ATOLL_PROGRESS_THREAD") != NULL);
  COUNT(first_messages);
}

static int counted;
static void run_counted(gasnet_token_t token) {
  (void)token;
  COUNT(counted);
}

static gasnet_handlerentry_t handlers[] = {
    {0, (gex_AM_Fn_t)run_ping},     {200, (gex_AM_Fn_t)run_pong},
    {201, (gex_AM_Fn_t)run_medium}, {202, (gex_AM_Fn_t)run_medium_reply},
    {203, (gex_AM_Fn_t)run_long},   {204, (gex_AM_Fn_t)run_long_reply},
    {205, (gex_AM_Fn_t)run_first},  {206, (gex_AM_Fn_t)run_counted},
};

static void check_start(int* argc, char*** argv) {
  const int count = (int)(sizeof handlers / sizeof *handlers);
  uintptr_t local;
  CHECK(gasnet_init(argc, argv) == GASNET_OK);
  gex_System_SetVerboseErrors(0);
  CHECK(gasnet_init(argc, argv) == GASNET_ERR_NOT_INIT);
  local = gasnet_getMaxLocalSegmentSize();
  CHECK(gasnet_nodes() > 0 && gasnet_mynode() < gasnet_nodes());
  CHECK(local >= gasnet_getMaxGlobalSegmentSize() && local % GASNET_PAGESIZE == 0);
  CHECK(gasnet_attach(handlers, count, 17, 0) == GASNET_ERR_BAD_ARG || GASNET_PAGESIZE == 1);
}

static void check_tables(void) {
  const gasnet_node_t nodes = gasnet_nodes();
  gasnet_nodeinfo_t* const places = (gasnet_nodeinfo_t*)calloc(nodes, sizeof *places);
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  gasnet_node_t node;
  CHECK(places && gasnet_getNodeInfo(places, (int)nodes) == GASNET_OK);
  CHECK(gasnet_getNodeInfo(places, -1) == GASNET_ERR_BAD_ARG);
  CHECK(gasnet_getSegmentInfo(segments, -1) == GASNET_ERR_BAD_ARG);
  for (node = 0; node < nodes; ++node) {
    CHECK(segments[node].addr && segments[node].size == segment_pages * GASNET_PAGESIZE);
    CHECK(places[node].host < nodes && places[node].supernode < nodes);
  }
  CHECK(places[gasnet_mynode()].offset == 0);
  {
    gex_Rank_t sets, set, hosts, host;
    gex_System_QueryMyPosition(&sets, &set, &hosts, &host);
    CHECK(places[gasnet_mynode()].supernode == set && places[nodes - 1].supernode == sets - 1);
    CHECK(places[gasnet_mynode()].host == host && places[nodes - 1].host == hosts - 1);
  }
  gasnet_QueryGexObjects(&client, &endpoint, &team, &segment);
  CHECK(gex_EP_QueryClient(endpoint) == client && gex_TM_QueryEP(team) == endpoint);
  CHECK(gex_Segment_QueryAddr(segment) == segments[gasnet_mynode()].addr);
  CHECK((gex_Client_QueryFlags(client) & GEX_FLAG_USES_GASNET1) != 0);
  CHECK(gex_TM_QueryRank(team) == gasnet_mynode() && gex_TM_QuerySize(team) == nodes);
  free(places);
}

static void check_transfers(void) {
  const gasnet_node_t to = next_node();
  int32_t* const remote = (int32_t*)(void*)memory_of(to);
  int32_t* const out = (int32_t*)malloc(2 * words * sizeof(int32_t));
  int32_t* const in = out + words;
  gasnet_handle_t handles[6];
  int i;
  for (i = 0; i < words; ++i) out[i] = (int32_t)(i * 7 + (int)gasnet_mynode());
  gasnet_put(to, remote, out, 8);
  gasnet_put_bulk(to, remote + 2, out + 2, 1000 * sizeof(int32_t));
  handles[0] = gasnet_put_nb(to, remote + 1002, out + 1002, 4);
  handles[1] = gasnet_put_nb_bulk(to, remote + 1003, out + 1003, 997 * sizeof(int32_t));
  gasnet_wait_syncnb_all(handles, 2);
  CHECK(handles[0] == GASNET_INVALID_HANDLE && handles[1] == GASNET_INVALID_HANDLE);
  gasnet_put_nbi(to, remote + 2000, out + 2000, 4);
  gasnet_put_nbi_bulk(to, remote + 2001, out + 2001, (words - 2001) * sizeof(int32_t));
  gasnet_wait_syncnbi_puts();
  gasnet_get(in, to, remote, 8);
  gasnet_get_bulk(in + 2, to, remote + 2, 1000 * sizeof(int32_t));
  handles[0] = gasnet_get_nb(in + 1002, to, remote + 1002, 4);
  handles[1] = GASNET_INVALID_HANDLE;
  handles[2] = gasnet_get_nb_bulk(in + 1003, to, remote + 1003, 997 * sizeof(int32_t));
  while (gasnet_try_syncnb_some(handles, 3) != GASNET_OK) continue;
  while (gasnet_try_syncnb_all(handles, 3) != GASNET_OK) continue;
  gasnet_begin_nbi_accessregion();
  gasnet_get_nbi(in + 2000, to, remote + 2000, 4);
  gasnet_get_nbi_bulk(in + 2001, to, remote + 2001, (words - 2001) * sizeof(int32_t));
  handles[0] = gasnet_end_nbi_accessregion();
  while (gasnet_try_syncnb(handles[0]) != GASNET_OK) continue;
  CHECK(memcmp(in, out, words * sizeof(int32_t)) == 0);
  while (gasnet_try_syncnbi_all() != GASNET_OK) continue;
  CHECK(gasnet_try_syncnbi_gets() == GASNET_OK && gasnet_try_syncnbi_puts() == GASNET_OK);
  gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
  CHECK(gasnet_try_syncnb_nopoll(GASNET_INVALID_HANDLE) == GASNET_OK);
  free(out);
}

static void check_values(void) {
  const gasnet_node_t to = next_node();
  unsigned char* const remote = (unsigned char*)memory_of(to) + 1;
  gasnet_valget_handle_t values[64];
  gasnet_handle_t handle;
  size_t bytes;
  int i;
  for (bytes = 1; bytes <= SIZEOF_GASNET_REGISTER_VALUE_T; ++bytes) {
    const gasnet_register_value_t mask = ~(gasnet_register_value_t)0 >> (64 - 8 * bytes);
    const gasnet_register_value_t sent = 0xfedcba9876543210u + gasnet_mynode();
    gasnet_put_val(to, remote, sent, bytes);
    CHECK(gasnet_get_val(to, remote, bytes) == (sent & mask));
    handle = gasnet_put_nb_val(to, remote + 16, sent + 1, bytes);
    gasnet_wait_syncnb(handle);
    gasnet_put_nbi_val(to, remote + 32, sent + 2, bytes);
    gasnet_wait_syncnbi_puts();
    CHECK(gasnet_get_val(to, remote + 16, bytes) == ((sent + 1) & mask));
    CHECK(gasnet_wait_syncnb_valget(gasnet_get_nb_val(to, remote + 32, bytes)) ==
          ((sent + 2) & mask));
  }
  for (i = 0; i < 64; ++i) gasnet_put_val(to, remote + i, (gasnet_register_value_t)(i + 100), 1);
  for (i = 0; i < 64; ++i) values[i] = gasnet_get_nb_val(to, remote + i, 1);
  for (i = 63; i >= 0; --i) CHECK((int)gasnet_wait_syncnb_valget(values[i]) == i + 100);
}

static void check_memset(void) {
  const gasnet_node_t to = next_node();
  char* const remote = memory_of(to);
  char* const in = (char*)malloc(50000);
  gasnet_handle_t region;
  int i;
  gasnet_memset(to, remote, 0x11, 10000);
  gasnet_wait_syncnb(gasnet_memset_nb(to, remote + 10000, 0x22, 10000));
  gasnet_memset_nbi(to, remote + 20000, 0x33, 10000);
  gasnet_wait_syncnbi_puts();
  gasnet_begin_nbi_accessregion();
  gasnet_wait_syncnb(gasnet_memset_nb(to, remote + 30000, 0x44, 10000));
  gasnet_memset_nbi(to, remote + 40000, 0x155, 10000); /* its low byte counts */
  region = gasnet_end_nbi_accessregion();
  gasnet_wait_syncnb(region);
  gasnet_get(in, to, remote, 50000);
  for (i = 0; i < 50000; ++i) CHECK(in[i] == (char)(0x11 * (i / 10000 + 1)));
  free(in);
}

/* A block of 3 x 4 words out of a matrix with rows of 10, there and back, in each of the three
 * ways. */
static void check_scattered(void) {
  enum { columns = 10, rows = 3, width = 4 };
  const gasnet_node_t to = next_node();
  int32_t* const remote = (int32_t*)(void*)memory_of(to);
  int32_t out[rows * columns], in[rows * columns];
  const size_t strides[1] = {columns * sizeof(int32_t)};
  const size_t counts[2] = {width * sizeof(int32_t), rows};
  gasnet_memvec_t from[rows], target[rows], back[rows];
  void *from_rows[rows], *target_rows[rows], *back_rows[rows];
  int way, i;
  for (i = 0; i < rows; ++i) {
    from_rows[i] = from[i].addr = out + i * columns;
    target_rows[i] = target[i].addr = remote + i * columns;
    back_rows[i] = back[i].addr = in + i * columns;
    from[i].len = target[i].len = back[i].len = counts[0];
  }
  for (way = 0; way < 3; ++way) {
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    for (i = 0; i < rows * columns; ++i) out[i] = 1000 * way + i + (int)gasnet_mynode();
    memset(in, 0xff, sizeof in);
    gasnet_memset(to, remote, 0xff, sizeof in);
    if (way == 0) {
      gasnet_putv_bulk(to, rows, target, rows, from);
      gasnet_getv_nbi_bulk(rows, back, to, rows, target);
    } else if (way == 1) {
      handle = gasnet_puti_nb_bulk(to, rows, target_rows, counts[0], rows, from_rows, counts[0]);
      gasnet_wait_syncnb(handle);
      gasnet_geti_bulk(rows, back_rows, counts[0], to, rows, target_rows, counts[0]);
    } else {
      gasnet_puts_nbi_bulk(to, remote, strides, out, strides, counts, 1);
      gasnet_wait_syncnbi_puts();
      handle = gasnet_gets_nb_bulk(in, strides, to, remote, strides, counts, 1);
      gasnet_wait_syncnb(handle);
    }
    gasnet_wait_syncnbi_all();
    for (i = 0; i < rows * columns; ++i) CHECK(in[i] == (i % columns < width ? out[i] : -1));
  }
}

static void check_messages(void) {
  const gasnet_node_t to = next_node();
  char bytes[100];
  memset(bytes, 'm', sizeof bytes);
  CHECK(handlers[0].index >= 128); /* chosen by the library, and the same everywhere */
  CHECK(gasnet_AMMaxArgs() == 16 && gasnet_AMMaxMedium() >= 512);
  CHECK(gasnet_AMMaxLongRequest() >= 512 && gasnet_AMMaxLongReply() >= 512);
  CHECK(gasnet_AMRequestShort0(to, handlers[0].index) == GASNET_OK);
  GASNET_BLOCKUNTIL(READ(replies) == 1);
  barrier();
  CHECK(last_source == (gasnet_mynode() + gasnet_nodes() - 1) % gasnet_nodes());
  CHECK(gasnet_AMRequestMedium1(to, 201, bytes, sizeof bytes, 5) == GASNET_OK);
  GASNET_BLOCKUNTIL(READ(replies) == 2);
  memset(bytes, 'l', sizeof bytes);
  CHECK(gasnet_AMRequestLong1(to, 203, bytes, 100, memory_of(to) + 64, 9) == GASNET_OK);
  GASNET_BLOCKUNTIL(READ(replies) == 3);
  CHECK(gasnet_AMRequestLongAsync1(to, 203, bytes, 0, memory_of(to) + 64, 9) == GASNET_OK);
  GASNET_BLOCKUNTIL(READ(replies) == 4);
}

static void check_barrier(void) {
  const int me = (int)gasnet_mynode();
  int name = 0;
  int result;
  gasnet_barrier_notify(12, 0);
  while ((result = gasnet_barrier_try(12, 0)) == GASNET_ERR_NOT_READY) continue;
  CHECK(result == GASNET_OK && gasnet_barrier_result(&name) == GASNET_OK && name == 12);
  CHECK(gasnet_barrier(me == 0 ? 5 : 0, me == 0 ? 0 : GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
  CHECK(gasnet_barrier_result(&name) == GASNET_OK && name == 5);
  result = gasnet_barrier(me, 0);
  CHECK(result == (gasnet_nodes() == 1 ? GASNET_OK : GASNET_ERR_BARRIER_MISMATCH));
  CHECK(gasnet_barrier(0, me == 0 ? GASNET_BARRIERFLAG_MISMATCH : 0) ==
        GASNET_ERR_BARRIER_MISMATCH);
}

/* Messages of ranks that share memory have run when the barrier behind them is complete. */
static void check_messages_before_barrier(void) {
  enum { per_rank = 100, rounds = 20 };
  const gasnet_node_t nodes = gasnet_nodes();
  gex_RankInfo_t* near;
  gex_Rank_t count;
  gasnet_node_t node;
  int round, i, result;
  gex_System_QueryNbrhdInfo(&near, &count, NULL);
  if (count != nodes || getenv("ATOLL_PROGRESS_THREAD") != NULL) return;
  for (round = 1; round <= rounds; ++round) {
    for (i = 0; i < per_rank; ++i) {
      for (node = 0; node < nodes; ++node) CHECK(gasnet_AMRequestShort0(node, 206) == GASNET_OK);
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (round % 2 == 0) {
      CHECK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_OK);
    } else {
      while ((result = gasnet_barrier_try(0, GASNET_BARRIERFLAG_ANONYMOUS)) == GASNET_ERR_NOT_READY)
        continue;
      CHECK(result == GASNET_OK);
    }
    CHECK(READ(counted) >= round * per_rank * (int)nodes);
  }
  barrier();
}

static void check_rest(void) {
  static gasnet_hsl_t fixed = GASNET_HSL_INITIALIZER;
  gasnet_hsl_t lock;
  gasnet_memvec_t part = {0, 0};
  CHECK(sizeof part == sizeof(gex_Memvec_t) && part.addr == NULL && part.len == 0);
  gasnet_hsl_init(&lock);
  gasnet_hsl_lock(&lock);
  CHECK(gasnet_hsl_trylock(&fixed) == GASNET_OK);
  gasnet_hsl_unlock(&fixed);
  gasnet_hsl_unlock(&lock);
  gasnet_hsl_destroy(&lock);
  gasnet_hold_interrupts();
  gasnet_resume_interrupts();
  CHECK(gasnet_set_waitmode(17) == GASNET_ERR_BAD_ARG);
  CHECK(GASNET_VERSION == 1 && GASNET_SPEC_VERSION_MAJOR == 1 && GASNET_SPEC_VERSION_MINOR == 8);
  CHECK(strcmp(gasnet_ErrorName(GASNET_ERR_BAD_ARG), "GASNET_ERR_BAD_ARG") == 0);
  CHECK(gasnet_getenv("PATH") && !gasnet_getenv("ATOLL_NO_SUCH_VARIABLE"));
  CHECK(gasnet_AMPoll() == GASNET_OK);
}

/* The message arrives in every mode of waiting. */
static void check_wait_modes(void) {
  static const int modes[] = {GASNET_WAIT_SPIN, GASNET_WAIT_BLOCK, GASNET_WAIT_SPINBLOCK};
  const int start_count = READ(replies);
  int i;
  for (i = 0; i < 3; ++i) {
    CHECK(gasnet_set_waitmode(modes[i]) == GASNET_OK);
    barrier();
    CHECK(gasnet_AMRequestShort0(next_node(), handlers[0].index) == GASNET_OK);
    GASNET_BLOCKUNTIL(READ(replies) == start_count + i + 1);
  }
  barrier();
}

int main(int argc, char** argv) {
  const int count = (int)(sizeof handlers / sizeof *handlers);
  gasnet_node_t node;
  check_start(&argc, &argv);
  CHECK(gasnet_attach(handlers, count, segment_pages * GASNET_PAGESIZE, 0) == GASNET_OK);
  is_attached = 1;
  for (node = 0; node < gasnet_nodes(); ++node)
    CHECK(gasnet_AMRequestShort0(node, 205) == GASNET_OK);
  GASNET_BLOCKUNTIL(READ(first_messages) == (int)gasnet_nodes());
  CHECK(gasnet_attach(handlers, count, GASNET_PAGESIZE, 0) == GASNET_ERR_NOT_INIT);
  learn_segments();
  check_tables();
  check_transfers();
  barrier();
  check_values();
  barrier();
  check_memset();
  barrier();
  check_scattered();
  barrier();
  check_messages();
  check_barrier();
  check_messages_before_barrier();
  check_rest();
  check_wait_modes();
  finish();
  return 0;
}
