/* SPDX-License-Identifier: BSD-3-Clause

   Active messages of every category, direction and number of arguments, 0 to 16, between all pairs
   of ranks. Each handler checks where the message came from, every argument, the payload and what
   the token says; a request is answered by a reply of the same category and arity. The forms
   without a suffix are compared with those that have one. */
#include "client.h"

enum { kinds = 3, arities = 17, payload_bytes = 1000 };
static const char* const kind_names[kinds] = {"short", "medium", "long"};

/* Index of the request handler of a category and arity; its reply handler follows 51 later. */
#define REQUEST_INDEX(kind, arity) ((gex_AM_Index_t)(130 + (kind) * arities + (arity)))
#define REPLY_INDEX(kind, arity) ((gex_AM_Index_t)(181 + (kind) * arities + (arity)))

static unsigned replies_seen;
static unsigned requests_seen;

/* The value of argument i of a message from one rank, so that a mix-up shows. */
static gex_AM_Arg_t argument(gex_Rank_t from, int kind, int arity, int i) {
  return (gex_AM_Arg_t)mixed(from * 100000u + (uint32_t)(kind * 10000 + arity * 100 + i));
}

static void check_arguments(gex_Rank_t from, int kind, int arity, const gex_AM_Arg_t* values) {
  int i;
  for (i = 0; i < arity; ++i) CHECK(values[i] == argument(from, kind, arity, i));
}

static gex_Rank_t check_token(gex_Token_t token, int kind, int arity, int is_request) {
  gex_Token_Info_t info;
  CHECK(gex_Token_Info(token, &info, GEX_TI_ALL) == GEX_TI_ALL);
  CHECK(info.gex_srcrank < team_size);
  CHECK(info.gex_ep == my_endpoint);
  CHECK(info.gex_is_req == is_request);
  CHECK(info.gex_is_long == (kind == 2));
  CHECK((int)info.gex_entry->gex_nargs == arity);
  CHECK(strcmp(info.gex_entry->gex_name, kind_names[kind]) == 0);
  CHECK(info.gex_entry->gex_cdata == &kind_names[kind]);
  return info.gex_srcrank;
}

/* The place in a rank's segment where a long of this sender, kind of message and arity goes. */
static char* long_place(gex_Rank_t target, gex_Rank_t from, int is_request, int arity) {
  return memory_of(target) +
         ((from * 2u + (unsigned)is_request) * arities + (unsigned)arity) * payload_bytes;
}

static void check_payload(const void* payload, size_t bytes, gex_Rank_t from, int arity) {
  CHECK(bytes == payload_bytes - (size_t)arity);
  CHECK(filled((const char*)payload, bytes, from * 100u + (uint32_t)arity));
}

static char outgoing[payload_bytes];

/* ", own_a0, ..." */
#define PASS_0
#define PASS_1 , own_a0
#define PASS_2 PASS_1, own_a1
#define PASS_3 PASS_2, own_a2
#define PASS_4 PASS_3, own_a3
#define PASS_5 PASS_4, own_a4
#define PASS_6 PASS_5, own_a5
#define PASS_7 PASS_6, own_a6
#define PASS_8 PASS_7, own_a7
#define PASS_9 PASS_8, own_a8
#define PASS_10 PASS_9, own_a9
#define PASS_11 PASS_10, own_a10
#define PASS_12 PASS_11, own_a11
#define PASS_13 PASS_12, own_a12
#define PASS_14 PASS_13, own_a13
#define PASS_15 PASS_14, own_a14
#define PASS_16 PASS_15, own_a15

/* Declares own_a0 .. own_a15: the arguments that this rank sends. */
#define ARGUMENTS(kind, arity)                                                          \
  const gex_AM_Arg_t own_a0 = argument(my_rank, kind, arity, 0);                        \
  const gex_AM_Arg_t own_a1 = argument(my_rank, kind, arity, 1);                        \
  const gex_AM_Arg_t own_a2 = argument(my_rank, kind, arity, 2);                        \
  const gex_AM_Arg_t own_a3 = argument(my_rank, kind, arity, 3);                        \
  const gex_AM_Arg_t own_a4 = argument(my_rank, kind, arity, 4);                        \
  const gex_AM_Arg_t own_a5 = argument(my_rank, kind, arity, 5);                        \
  const gex_AM_Arg_t own_a6 = argument(my_rank, kind, arity, 6);                        \
  const gex_AM_Arg_t own_a7 = argument(my_rank, kind, arity, 7);                        \
  const gex_AM_Arg_t own_a8 = argument(my_rank, kind, arity, 8);                        \
  const gex_AM_Arg_t own_a9 = argument(my_rank, kind, arity, 9);                        \
  const gex_AM_Arg_t own_a10 = argument(my_rank, kind, arity, 10);                      \
  const gex_AM_Arg_t own_a11 = argument(my_rank, kind, arity, 11);                      \
  const gex_AM_Arg_t own_a12 = argument(my_rank, kind, arity, 12);                      \
  const gex_AM_Arg_t own_a13 = argument(my_rank, kind, arity, 13);                      \
  const gex_AM_Arg_t own_a14 = argument(my_rank, kind, arity, 14);                      \
  const gex_AM_Arg_t own_a15 = argument(my_rank, kind, arity, 15);                      \
  (void)own_a0, (void)own_a1, (void)own_a2, (void)own_a3, (void)own_a4, (void)own_a5;   \
  (void)own_a6, (void)own_a7, (void)own_a8, (void)own_a9, (void)own_a10, (void)own_a11; \
  (void)own_a12, (void)own_a13, (void)own_a14, (void)own_a15

/* Handlers of one arity. */
#define SHORT_HANDLERS(arity)                                                             \
  static void short_reply_##arity(gex_Token_t token ATOLL_GEX_PARAMETERS_##arity) {       \
    const gex_AM_Arg_t values[] = {ATOLL_GEX_VALUES_##arity};                             \
    check_arguments(check_token(token, 0, arity, 0), 0, arity, values);                   \
    COUNT(replies_seen);                                                                  \
  }                                                                                       \
  static void short_request_##arity(gex_Token_t token ATOLL_GEX_PARAMETERS_##arity) {     \
    const gex_AM_Arg_t values[] = {ATOLL_GEX_VALUES_##arity};                             \
    check_arguments(check_token(token, 0, arity, 1), 0, arity, values);                   \
    COUNT(requests_seen);                                                                 \
    {                                                                                     \
      ARGUMENTS(0, arity);                                                                \
      CHECK(gex_AM_ReplyShort##arity(token, REPLY_INDEX(0, arity), 0 PASS_##arity) == 0); \
    }                                                                                     \
  }

#define MEDIUM_HANDLERS(arity)                                                                   \
  static void medium_reply_##arity(gex_Token_t token, void* payload,                             \
                                   size_t bytes ATOLL_GEX_PARAMETERS_##arity) {                  \
    const gex_AM_Arg_t values[] = {ATOLL_GEX_VALUES_##arity};                                    \
    const gex_Rank_t from = check_token(token, 1, arity, 0);                                     \
    check_arguments(from, 1, arity, values);                                                     \
    check_payload(payload, bytes, from, arity);                                                  \
    COUNT(replies_seen);                                                                         \
  }                                                                                              \
  static void medium_request_##arity(gex_Token_t token, void* payload,                           \
                                     size_t bytes ATOLL_GEX_PARAMETERS_##arity) {                \
    const gex_AM_Arg_t values[] = {ATOLL_GEX_VALUES_##arity};                                    \
    const gex_Rank_t from = check_token(token, 1, arity, 1);                                     \
    char answer[payload_bytes];                                                                  \
    ARGUMENTS(1, arity);                                                                         \
    check_arguments(from, 1, arity, values);                                                     \
    check_payload(payload, bytes, from, arity);                                                  \
    COUNT(requests_seen);                                                                        \
    fill(answer, payload_bytes, my_rank * 100u + arity);                                         \
    CHECK(gex_AM_ReplyMedium##arity(token, REPLY_INDEX(1, arity), answer, payload_bytes - arity, \
                                    GEX_EVENT_NOW, 0 PASS_##arity) == 0);                        \
  }

#define LONG_HANDLERS(arity)                                                                   \
  static void long_reply_##arity(gex_Token_t token, void* payload,                             \
                                 size_t bytes ATOLL_GEX_PARAMETERS_##arity) {                  \
    const gex_AM_Arg_t values[] = {ATOLL_GEX_VALUES_##arity};                                  \
    const gex_Rank_t from = check_token(token, 2, arity, 0);                                   \
    check_arguments(from, 2, arity, values);                                                   \
    CHECK(payload == my_memory + (from * 2u * arities + arity) * payload_bytes);               \
    check_payload(payload, bytes, from, arity);                                                \
    COUNT(replies_seen);                                                                       \
  }                                                                                            \
  static void long_request_##arity(gex_Token_t token, void* payload,                           \
                                   size_t bytes ATOLL_GEX_PARAMETERS_##arity) {                \
    const gex_AM_Arg_t values[] = {ATOLL_GEX_VALUES_##arity};                                  \
    const gex_Rank_t from = check_token(token, 2, arity, 1);                                   \
    char answer[payload_bytes];                                                                \
    ARGUMENTS(2, arity);                                                                       \
    check_arguments(from, 2, arity, values);                                                   \
    CHECK(payload == my_memory + ((from * 2u + 1) * arities + arity) * payload_bytes);         \
    check_payload(payload, bytes, from, arity);                                                \
    COUNT(requests_seen);                                                                      \
    fill(answer, payload_bytes, my_rank * 100u + arity);                                       \
    CHECK(gex_AM_ReplyLong##arity(token, REPLY_INDEX(2, arity), answer, payload_bytes - arity, \
                                  reply_place[from] + arity * payload_bytes, GEX_EVENT_NOW,    \
                                  0 PASS_##arity) == 0);                                       \
  }

/* Where my replies go at each rank; asked for before, since handlers may not wait. */
static char** reply_place;

ATOLL_GEX_EACH_ARITY(SHORT_HANDLERS)
ATOLL_GEX_EACH_ARITY(MEDIUM_HANDLERS)
ATOLL_GEX_EACH_ARITY(LONG_HANDLERS)

#define SHORT GEX_FLAG_AM_SHORT
#define MEDIUM GEX_FLAG_AM_MEDIUM
#define LONG GEX_FLAG_AM_LONG
#define ENTRIES_OF(kind, name, category, arity) \
  {REQUEST_INDEX(kind, arity),                  \
   (gex_AM_Fn_t)name##_request_##arity,         \
   category | GEX_FLAG_AM_REQUEST,              \
   arity,                                       \
   &kind_names[kind],                           \
   kind_names[kind]},                           \
      {REPLY_INDEX(kind, arity),                \
       (gex_AM_Fn_t)name##_reply_##arity,       \
       category | GEX_FLAG_AM_REPLY,            \
       arity,                                   \
       &kind_names[kind],                       \
       kind_names[kind]},
#define ENTRIES(arity)                 \
  ENTRIES_OF(0, short, SHORT, arity)   \
  ENTRIES_OF(1, medium, MEDIUM, arity) \
  ENTRIES_OF(2, long, LONG, arity)

static void register_handlers(void) {
  gex_AM_Entry_t table[] = {ATOLL_GEX_EACH_ARITY(ENTRIES)};
  CHECK(gex_EP_RegisterHandlers(my_endpoint, table, sizeof table / sizeof *table) == GASNET_OK);
}

/* All three requests of one arity to one rank. */
#define SEND(arity)                                                                             \
  {                                                                                             \
    gex_Event_t source = GEX_EVENT_INVALID;                                                     \
    fill(outgoing, payload_bytes, my_rank * 100u + arity);                                      \
    {                                                                                           \
      ARGUMENTS(0, arity);                                                                      \
      CHECK(gex_AM_RequestShort##arity(my_team, to, REQUEST_INDEX(0, arity), 0 PASS_##arity) == \
            0);                                                                                 \
    }                                                                                           \
    {                                                                                           \
      ARGUMENTS(1, arity);                                                                      \
      CHECK(gex_AM_RequestMedium##arity(my_team, to, REQUEST_INDEX(1, arity), outgoing,         \
                                        payload_bytes - arity, &source, 0 PASS_##arity) == 0);  \
      gex_Event_Wait(source);                                                                   \
    }                                                                                           \
    {                                                                                           \
      ARGUMENTS(2, arity);                                                                      \
      CHECK(gex_AM_RequestLong##arity(my_team, to, REQUEST_INDEX(2, arity), outgoing,           \
                                      payload_bytes - arity, long_place(to, my_rank, 1, arity), \
                                      GEX_EVENT_GROUP, 0 PASS_##arity) == 0);                   \
      gex_NBI_Wait(GEX_EC_AM, 0);                                                               \
    }                                                                                           \
  }

static void send_all(gex_Rank_t to) { ATOLL_GEX_EACH_ARITY(SEND) }

/* The same messages by the forms that count their arguments themselves. */
static void send_without_suffix(gex_Rank_t to) {
  {
    ARGUMENTS(0, 0);
    CHECK(gex_AM_RequestShort(my_team, to, REQUEST_INDEX(0, 0), 0) == 0);
  }
  {
    ARGUMENTS(0, 3);
    CHECK(gex_AM_RequestShort(my_team, to, REQUEST_INDEX(0, 3), 0, own_a0, own_a1, own_a2) == 0);
  }
  {
    ARGUMENTS(1, 16);
    fill(outgoing, payload_bytes, my_rank * 100u + 16);
    CHECK(gex_AM_RequestMedium(my_team, to, REQUEST_INDEX(1, 16), outgoing, payload_bytes - 16,
                               GEX_EVENT_NOW, 0 PASS_16) == 0);
  }
  {
    ARGUMENTS(2, 1);
    fill(outgoing, payload_bytes, my_rank * 100u + 1);
    CHECK(gex_AM_RequestLong(my_team, to, REQUEST_INDEX(2, 1), outgoing, payload_bytes - 1,
                             long_place(to, my_rank, 1, 1), GEX_EVENT_NOW, 0, own_a0) == 0);
  }
}

int main(int argc, char** argv) {
  gex_Rank_t to;
  unsigned expected;
  start_client(&argc, &argv, 1 << 20);
  reply_place = (char**)calloc(team_size, sizeof *reply_place);
  for (to = 0; to < team_size; ++to) reply_place[to] = long_place(to, my_rank, 0, 0);
  register_handlers();
  barrier();
  for (to = 0; to < team_size; ++to) send_all((my_rank + to) % team_size);
  expected = team_size * kinds * arities;
  GASNET_BLOCKUNTIL(READ(replies_seen) == expected && READ(requests_seen) == expected);
  barrier();
  for (to = 0; to < team_size; ++to) send_without_suffix(to);
  expected += team_size * 4;
  GASNET_BLOCKUNTIL(READ(replies_seen) == expected && READ(requests_seen) == expected);
  finish_client();
}
