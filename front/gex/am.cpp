// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages whose payload the client holds. The core sends; this file turns the packed
// parameters of the C calls into its message. Sources are free again when a call returns, so every
// form of local completion is complete then. Threads: as the core's endpoint.
#include <gasnetex_am.h>
#include <gasnetex_rma.h>
#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <front/gex/context.hpp>
#include <front/gex/message.hpp>
#include <front/gex/objects.hpp>

#include <algorithm>

using namespace atl::gex;

using atl::am_category;
using atl::am_message;

namespace {

am_message with_payload(const atoll_gex_arguments& args, const atoll_gex_payload& payload,
                        am_category kind) noexcept {
  am_message out = message_of(args, kind);
  out.payload = payload.source;
  out.bytes = payload.size;
  out.address = reinterpret_cast<std::uintptr_t>(payload.target);
  return out;
}

// By rvalue, because callers make the message in place and the core completes it.
int request(const char* call, gex_TM_t tm, gex_Rank_t rank, am_message&& out,
            gex_Flags_t flags) noexcept {
  const bool is_long = out.kind == am_category::long_;  // may have to wait when it is half done
  may_communicate(call, is_long ? in_handler::impossible : in_handler::possible);
  check_rank(call, tm, rank);
  const peer_endpoint to = messaging_peer(call, tm, rank);
  out.target = to.rank;
  out.crossing = member(tm).crossing;
  if (atl::current_handler != atl::handler_context::outside) [[unlikely]] {
    return the_process->outbox.send(to.endpoint, out, is_immediate(flags)) ? 0 : 1;
  }
  return to.endpoint.request(static_cast<am_message&&>(out), is_immediate(flags)) ? 0 : 1;
}

int reply(const char* call, gex_Token_t token, am_message&& out, gex_Flags_t flags) noexcept {
  may_reply(call);
  return token_of(token).reply(static_cast<am_message&&>(out), is_immediate(flags)) ? 0 : 1;
}

}  // namespace

int atoll_gex_request_short(gex_TM_t tm, gex_Rank_t rank, const atoll_gex_arguments* args) {
  return request("gex_AM_RequestShort", tm, rank, message_of(*args, am_category::short_),
                 args->flags);
}

int atoll_gex_request_medium(gex_TM_t tm, gex_Rank_t rank, const atoll_gex_arguments* args,
                             const atoll_gex_payload* payload) {
  const int refused = request("gex_AM_RequestMedium", tm, rank,
                              with_payload(*args, *payload, am_category::medium), args->flags);
  if (refused == 0) atoll_gex_source_done(payload->lc_opt);
  return refused;
}

int atoll_gex_request_long(gex_TM_t tm, gex_Rank_t rank, const atoll_gex_arguments* args,
                           const atoll_gex_payload* payload) {
  const int refused = request("gex_AM_RequestLong", tm, rank,
                              with_payload(*args, *payload, am_category::long_), args->flags);
  if (refused == 0) atoll_gex_source_done(payload->lc_opt);
  return refused;
}

int atoll_gex_reply_short(gex_Token_t token, const atoll_gex_arguments* args) {
  return reply("gex_AM_ReplyShort", token, message_of(*args, am_category::short_), args->flags);
}

int atoll_gex_reply_medium(gex_Token_t token, const atoll_gex_arguments* args,
                           const atoll_gex_payload* payload) {
  const int refused = reply("gex_AM_ReplyMedium", token,
                            with_payload(*args, *payload, am_category::medium), args->flags);
  if (refused == 0) atoll_gex_source_done(payload->lc_opt);
  return refused;
}

int atoll_gex_reply_long(gex_Token_t token, const atoll_gex_arguments* args,
                         const atoll_gex_payload* payload) {
  const int refused = reply("gex_AM_ReplyLong", token,
                            with_payload(*args, *payload, am_category::long_), args->flags);
  if (refused == 0) atoll_gex_source_done(payload->lc_opt);
  return refused;
}

// --- limits ----------------------------------------------------------------------------------

namespace {

// The limit is the same for all peers, kinds of call, numbers of arguments and local completions.
std::size_t most_medium() noexcept { return the_process->medium_max; }

// The size of a Long that every peer takes; clients may ask for it before the start. It does not
// depend on how large a segment can become, because each transfer checks the segment's bounds.
constexpr std::size_t least_long = 0x7fffffff;

// A Long from the client's buffer may fill a segment; the library's buffers are those of mediums.
std::size_t most_long(gex_Flags_t flags) noexcept {
  if ((flags & GEX_FLAG_AM_PREPARE_LEAST_ALLOC) != 0) return most_medium();
  return std::max(least_long, atl::layer_access::heap_limit_everywhere(runtime()));
}

void check_peer(const char* call, gex_TM_t tm, gex_Rank_t rank) noexcept {
  if (rank != GEX_RANK_INVALID) check_rank(call, tm, rank);
}

}  // namespace

size_t gex_AM_MaxRequestMedium(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t*, gex_Flags_t,
                               unsigned int) {
  check_peer("gex_AM_MaxRequestMedium", tm, other_rank);
  return most_medium();
}

size_t gex_AM_MaxReplyMedium(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t*, gex_Flags_t,
                             unsigned int) {
  check_peer("gex_AM_MaxReplyMedium", tm, other_rank);
  return most_medium();
}

size_t gex_AM_MaxRequestLong(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t*,
                             gex_Flags_t flags, unsigned int) {
  check_peer("gex_AM_MaxRequestLong", tm, other_rank);
  return most_long(flags);
}

size_t gex_AM_MaxReplyLong(gex_TM_t tm, gex_Rank_t other_rank, const gex_Event_t*,
                           gex_Flags_t flags, unsigned int) {
  check_peer("gex_AM_MaxReplyLong", tm, other_rank);
  return most_long(flags);
}

size_t gex_Token_MaxReplyMedium(gex_Token_t, const gex_Event_t*, gex_Flags_t, unsigned int) {
  return most_medium();
}

size_t gex_Token_MaxReplyLong(gex_Token_t, const gex_Event_t*, gex_Flags_t flags, unsigned int) {
  return most_long(flags);
}

size_t gex_AM_LUBRequestMedium() { return atl::transport::medium_least; }
size_t gex_AM_LUBReplyMedium() { return atl::transport::medium_least; }
size_t gex_AM_LUBRequestLong() { return least_long; }
size_t gex_AM_LUBReplyLong() { return least_long; }
