// SPDX-License-Identifier: BSD-3-Clause
//
// Negotiated payload. A thread has at most one descriptor (thread_memory.hpp): Prepare fills
// it, Commit or Cancel empties it, and `held.prepared` forbids all communication in between.
// Without a client's buffer the payload is assembled in a transport buffer and not copied again
// (Medium), or copied once from there to its place (Long); with one, Prepare only fixes the size.
#include <gasnetex_prepared.h>
#include <gasnetex_rma.h>
#include <atoll/base/text.hpp>
#include <atoll/core/am/endpoint.hpp>
#include <front/gex/context.hpp>
#include <front/gex/message.hpp>
#include <front/gex/objects.hpp>
#include <front/gex/thread_memory.hpp>

#include <algorithm>

using namespace atl::gex;

using atl::am_category;
using atl::am_message;

namespace {

// Waiting for room runs handlers, which prepare messages of their own in this place, so nothing is
// kept in it across a call of the core.
prepared_message& own_message() noexcept { return this_thread().prepared; }

struct payload_sizes {
  const char* call;
  const void* client_buf;
  std::size_t least;
  std::size_t most;
  std::size_t limit;  // of this peer and kind of buffer
  gex_Flags_t flags;
};

void check_sizes(const payload_sizes& sizes, const gex_Event_t* lc_opt) noexcept {
  if (sizes.least > sizes.most) {
    refuse(sizes.call,
           atl::text("least_payload ", sizes.least, " exceeds most_payload ", sizes.most),
           "give a range");
  }
  if (sizes.least > sizes.limit) {
    refuse(sizes.call,
           atl::text("least_payload ", sizes.least, " exceeds the maximum ", sizes.limit),
           "ask gex_AM_Max*() with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or _ALLOC");
  }
  if (sizes.client_buf == nullptr && lc_opt != nullptr) {
    refuse_unless_tolerated(sizes.call, "a buffer of the library has no local completion",
                            "pass lc_opt NULL");
  }
}

// A transport buffer of `size` bytes; its data is null when that was refused.
atl::transport::staging stage(const prepared_message& to, std::size_t size,
                              bool immediate) noexcept {
  const std::size_t bytes = std::max<std::size_t>(size, 1);
  if (to.is_reply) return token_of(to.token).prepare_reply(bytes, immediate);
  return to.endpoint->prepare(
      {.target = to.target, .via = atl::transport::channel::request, .bytes = bytes}, immediate);
}

// `message` has the destination; the sizes decide the rest.
gex_AM_SrcDesc_t prepare(prepared_message message, const payload_sizes& sizes) noexcept {
  check_sizes(sizes, message.lc_opt);
  message.size = std::min(sizes.most, sizes.limit);
  message.own_buffer = sizes.client_buf == nullptr;
  message.address = const_cast<void*>(sizes.client_buf);
  if (message.own_buffer) {
    message.staging = stage(message, message.size, is_immediate(sizes.flags));
    if (message.staging.data == nullptr) return GEX_AM_SRCDESC_NO_OP;
    message.address = message.staging.data;
  }
  own_message() = message;
  held.prepared = 1;
  return &own_message();
}

prepared_message request_to(const char* call, gex_TM_t tm, gex_Rank_t rank,
                            am_category category) noexcept {
  may_communicate(call);
  check_rank(call, tm, rank);
  prepared_message message;
  message.category = category;
  const peer_endpoint to = messaging_peer(call, tm, rank);
  message.target = to.rank;
  message.endpoint = &to.endpoint;
  message.crossing = member(tm).crossing;
  return message;
}

prepared_message reply_to(const char* call, gex_Token_t token, am_category category) noexcept {
  may_reply(call);
  prepared_message message;
  message.category = category;
  message.is_reply = true;
  message.token = token;
  message.target = token_of(token).source();
  message.endpoint = &token_of(token).back();
  return message;
}

gex_Flags_t buffer_flag(const void* client_buf) noexcept {
  return client_buf == nullptr ? GEX_FLAG_AM_PREPARE_LEAST_ALLOC : GEX_FLAG_AM_PREPARE_LEAST_CLIENT;
}

void check_descriptor(const char* call, gex_AM_SrcDesc_t sd, am_category category,
                      bool is_reply) noexcept {
  if (sd != &own_message() || held.prepared == 0) {
    refuse(call, "the descriptor is not one this thread has prepared and still holds",
           "commit or cancel each descriptor once, in the thread that prepared it");
  }
  if (own_message().category != category || own_message().is_reply != is_reply) {
    refuse(call, "the descriptor was prepared for another kind of message",
           "end each Prepare by the Commit or Cancel of the same name");
  }
}

void check_message(const char* call, const am_message& out) noexcept {
  if (out.bytes > own_message().size) {
    refuse(call, atl::text(out.bytes, " bytes, but ", own_message().size, " were prepared"),
           "send at most gex_AM_SrcDescSize()");
  }
  if (out.nargs != own_message().nargs) {
    refuse_unless_tolerated(
        call,
        atl::text(unsigned{out.nargs}, " arguments, but ", own_message().nargs, " were prepared"),
        "give Prepare the number of arguments of the Commit");
  }
  if (own_message().dest_addr != nullptr &&
      out.address != reinterpret_cast<std::uintptr_t>(own_message().dest_addr)) {
    refuse_unless_tolerated(call, "the destination is not the one given to Prepare",
                            "pass the same dest_addr");
  }
}

bool send(const prepared_message& message, const am_message& out, bool immediate) noexcept {
  if (message.own_buffer) {
    return message.is_reply ? token_of(message.token).commit_reply(message.staging, out, immediate)
                            : message.endpoint->commit(message.staging, out, immediate);
  }
  return message.is_reply ? token_of(message.token).reply(am_message(out), immediate)
                          : message.endpoint->request(am_message(out), immediate);
}

int commit(const char* call, am_message out, gex_Flags_t flags) noexcept {
  check_message(call, out);
  const prepared_message message = own_message();
  out.target = message.target;
  out.payload = message.address;
  out.crossing = message.crossing;
  held.prepared = 0;
  if (!send(message, out, is_immediate(flags))) {
    own_message() = message;
    held.prepared = 1;
    return 1;
  }
  atoll_gex_source_done(message.lc_opt);
  return 0;
}

int cancel(const char* call, gex_AM_SrcDesc_t sd, am_category category, bool is_reply) noexcept {
  check_descriptor(call, sd, category, is_reply);
  if (own_message().own_buffer)
    own_message().endpoint->cancel(own_message().target, own_message().staging);
  held.prepared = 0;
  return GASNET_OK;
}

}  // namespace

// --- prepare ---------------------------------------------------------------------------------

gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                             size_t least_payload, size_t most_payload,
                                             gex_Event_t* lc_opt, gex_Flags_t flags,
                                             unsigned int numargs) {
  static constexpr const char* call = "gex_AM_PrepareRequestMedium";
  prepared_message message = request_to(call, tm, rank, am_category::medium);
  message.lc_opt = lc_opt;
  message.nargs = numargs;
  const std::size_t limit =
      gex_AM_MaxRequestMedium(tm, rank, lc_opt, flags | buffer_flag(client_buf), numargs);
  return prepare(message, {call, client_buf, least_payload, most_payload, limit, flags});
}

gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buf,
                                           size_t least_payload, size_t most_payload,
                                           gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned int numargs) {
  static constexpr const char* call = "gex_AM_PrepareReplyMedium";
  prepared_message message = reply_to(call, token, am_category::medium);
  message.lc_opt = lc_opt;
  message.nargs = numargs;
  const std::size_t limit =
      gex_Token_MaxReplyMedium(token, lc_opt, flags | buffer_flag(client_buf), numargs);
  return prepare(message, {call, client_buf, least_payload, most_payload, limit, flags});
}

gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                           size_t least_payload, size_t most_payload,
                                           void* dest_addr, gex_Event_t* lc_opt, gex_Flags_t flags,
                                           unsigned int numargs) {
  static constexpr const char* call = "gex_AM_PrepareRequestLong";
  prepared_message message = request_to(call, tm, rank, am_category::long_);
  message.dest_addr = dest_addr;
  message.lc_opt = lc_opt;
  message.nargs = numargs;
  const std::size_t limit =
      gex_AM_MaxRequestLong(tm, rank, lc_opt, flags | buffer_flag(client_buf), numargs);
  return prepare(message, {call, client_buf, least_payload, most_payload, limit, flags});
}

gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buf,
                                         size_t least_payload, size_t most_payload, void* dest_addr,
                                         gex_Event_t* lc_opt, gex_Flags_t flags,
                                         unsigned int numargs) {
  static constexpr const char* call = "gex_AM_PrepareReplyLong";
  prepared_message message = reply_to(call, token, am_category::long_);
  message.dest_addr = dest_addr;
  message.lc_opt = lc_opt;
  message.nargs = numargs;
  const std::size_t limit =
      gex_Token_MaxReplyLong(token, lc_opt, flags | buffer_flag(client_buf), numargs);
  return prepare(message, {call, client_buf, least_payload, most_payload, limit, flags});
}

// --- commit ----------------------------------------------------------------------------------

namespace {

am_message out_of(const atoll_gex_arguments& args, std::size_t nbytes, void* target) noexcept {
  am_message out = message_of(args, own_message().category);
  out.bytes = nbytes;
  out.address = reinterpret_cast<std::uintptr_t>(target);
  return out;
}

}  // namespace

int atoll_gex_commit_request_medium(gex_AM_SrcDesc_t sd, const atoll_gex_arguments* args,
                                    size_t nbytes) {
  static constexpr const char* call = "gex_AM_CommitRequestMedium";
  check_descriptor(call, sd, am_category::medium, false);
  return commit(call, out_of(*args, nbytes, nullptr), args->flags);
}

int atoll_gex_commit_request_long(gex_AM_SrcDesc_t sd, const atoll_gex_arguments* args,
                                  size_t nbytes, void* target) {
  static constexpr const char* call = "gex_AM_CommitRequestLong";
  check_descriptor(call, sd, am_category::long_, false);
  return commit(call, out_of(*args, nbytes, target), args->flags);
}

int atoll_gex_commit_reply_medium(gex_AM_SrcDesc_t sd, const atoll_gex_arguments* args,
                                  size_t nbytes) {
  static constexpr const char* call = "gex_AM_CommitReplyMedium";
  check_descriptor(call, sd, am_category::medium, true);
  return commit(call, out_of(*args, nbytes, nullptr), args->flags);
}

int atoll_gex_commit_reply_long(gex_AM_SrcDesc_t sd, const atoll_gex_arguments* args, size_t nbytes,
                                void* target) {
  static constexpr const char* call = "gex_AM_CommitReplyLong";
  check_descriptor(call, sd, am_category::long_, true);
  return commit(call, out_of(*args, nbytes, target), args->flags);
}

// --- cancel ----------------------------------------------------------------------------------

int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t sd, gex_Flags_t) {
  return cancel("gex_AM_CancelRequestMedium", sd, am_category::medium, false);
}

int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t sd, gex_Flags_t) {
  return cancel("gex_AM_CancelReplyMedium", sd, am_category::medium, true);
}

int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t sd, gex_Flags_t) {
  return cancel("gex_AM_CancelRequestLong", sd, am_category::long_, false);
}

int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t sd, gex_Flags_t) {
  return cancel("gex_AM_CancelReplyLong", sd, am_category::long_, true);
}
