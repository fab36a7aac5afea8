// SPDX-License-Identifier: BSD-3-Clause
//
// Sends messages: checks a message and hands it to the transport that reaches the target; if that
// has no room, polls and tries again. While a request waits, anything that arrives is handled, so
// ranks that flood each other in a ring all move on; while a reply waits, only replies are (they
// never send), so a handler cannot be entered from within a handler of the same kind.
#include <atoll/core/am/endpoint.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/reference_transfers.hpp>
#include <atoll/core/segment/segment_access.hpp>

#include <algorithm>
#include <cstring>

namespace atl {

endpoint::endpoint(runtime& owner, std::uint8_t index)
    : owner_(owner),
      index_(index),
      ranks_(owner.size()),
      medium_max_(owner.medium_max()),
      bound_(&owner.heaps()) {}

// --- messages ------------------------------------------------------------------------------------

void endpoint::refuse_request(const am_message& out) const noexcept {
  segment_access::check_rank(*bound_, "AM request", out.target);
  owner_.fail(text("AM request from rank ", owner_.rank(), " to rank ", out.target),
              "sent inside a handler, which may only reply",
              "note the work and send it after the handler has returned");
}

bool endpoint::send(am_message& out, bool immediate) noexcept {
  out.endpoint = index_;
  if (out.nargs > transport::max_args) [[unlikely]]
    refuse_size(out);
  if (out.kind == am_category::long_) return send_long(out, immediate);
  if (out.bytes > medium_max_) [[unlikely]]
    refuse_size(out);
  return post(out, immediate);
}

// For the thread sanitizer: a handler's work comes before its reply, after which others may pass a
// barrier with this rank although the handler has not returned yet.
bool endpoint::post(am_message& out, bool immediate) noexcept {
  ordered_before_other_ranks();
  if (core_access::via(owner_, out.target).send(out) != transport::post::done) [[unlikely]] {
    if (owner_.failed(out.target)) return true;
    if (immediate) {
      trace::count(trace::counter::refusals);
      return false;
    }
    if (!layer_access::wait_for_room(owner_, out.target, out.via, [&] {
          return core_access::via(owner_, out.target).send(out) == transport::post::done;
        }))
      return true;
  }
  count_sent(out);
  // A message to this rank itself has run its handler already, on this thread; other threads of
  // the rank may wait for that.
  if (out.target == owner_.rank() && owner_.threaded()) layer_access::wake_own_threads(owner_);
  return true;
}

void endpoint::refuse_size(const am_message& out) const noexcept {
  if (out.nargs > transport::max_args) {
    owner_.fail(text("AM of ", unsigned{out.nargs}, " arguments to rank ", out.target),
                text("the most is ", transport::max_args), "put the others into the payload");
  }
  owner_.fail(text("medium AM of ", out.bytes, " bytes to rank ", out.target),
              text("the most is ", medium_max_, " bytes"),
              "ask for the maximum, or send a long message");
}

void endpoint::count_sent(const am_message& out) const noexcept {
  const bool is_request = out.via == transport::channel::request;
  trace::count(is_request ? trace::counter::requests : trace::counter::replies);
  if (out.bytes != 0) trace::count(trace::counter::am_bytes, out.bytes);
}

bool endpoint::send_long(am_message& out, bool immediate) noexcept {
  if (out.bytes != 0) {
    void* const address = reinterpret_cast<void*>(out.address);
    std::byte* const mapped = bound_->routes()[out.target].direct(address, out.bytes);
    if (mapped == nullptr) {
      segment_access::check_range(*bound_, "long AM", out.target, address, out.bytes);
      segment_access::check_host_memory(*bound_, "long AM", out.target);
      if (segment_access::goes_by_kernel(*bound_, out.target, out.bytes, 1, false))
        return send_long_by_kernel(out, immediate);
      if (!immediate && out.via == transport::channel::request &&
          segment_access::puts_payload(*bound_, out.target, out.bytes))
        return send_long_by_put(out);
      return send_long_in_pieces(out, immediate);
    }
    if (immediate && !core_access::via(owner_, out.target).has_room(out.target, out.via)) {
      trace::count(trace::counter::refusals);
      return false;
    }
    copy_bytes(mapped, out.payload, out.bytes);
    // The payload is written and cannot be withdrawn, so from here on the message goes even if
    // other threads have taken the room meanwhile.
    return post(out, false);
  }
  return post(out, immediate);
}

bool endpoint::send_long_by_kernel(am_message& out, bool immediate) noexcept {
  if (immediate && !core_access::via(owner_, out.target).has_room(out.target, out.via)) {
    trace::count(trace::counter::refusals);
    return false;
  }
  // A copy that failed may have written a part, so from here on the message goes in any case.
  if (!segment_access::put_by_kernel(*bound_, out.target, out.address, out.payload, out.bytes))
    return send_long_in_pieces(out, false);
  return post(out, false);
}

// Pieces are copied at both ends, the data of a put at neither. The message follows when the
// payload has arrived. Only for requests: a put that waits for room handles everything that
// arrives, and within a handler only replies may be handled.
bool endpoint::send_long_by_put(am_message& out) noexcept {
  operation record;
  segment_access::start_payload(*bound_, out, record);
  owner_.wait_until([&] { return record.complete(); });
  if (record.take_status() != operation_status::done) return true;  // the target is lost
  return post(out, false);
}

bool endpoint::send_long_in_pieces(am_message& out, bool immediate) noexcept {
  if (!core_access::reference(owner_).send_long(out, immediate)) return false;
  count_sent(out);
  return true;
}

transport::staging endpoint::prepare(const am_message& out, bool immediate) noexcept {
  segment_access::check_rank(*bound_, "AM prepare", out.target);
  if (out.via == transport::channel::request && current_handler != handler_context::outside) {
    refuse_request(out);
  }
  if (out.bytes > medium_max_) refuse_size(out);
  transport::transport& via = core_access::via(owner_, out.target);
  transport::staging buffer = via.prepare(out.via, out.bytes);
  if (buffer.data != nullptr) return buffer;
  if (immediate) {
    trace::count(trace::counter::refusals);
    return buffer;
  }
  // Buffers are this rank's own: they come back also when the target is lost.
  layer_access::wait_for_room(owner_, no_rank, out.via, [&] {
    buffer = via.prepare(out.via, out.bytes);
    return buffer.data != nullptr;
  });
  return buffer;
}

bool endpoint::commit(const transport::staging& buffer, const am_message& message,
                      bool immediate) noexcept {
  am_message out = message;
  segment_access::check_rank(*bound_, "AM commit", out.target);
  if (out.nargs > transport::max_args) refuse_size(out);
  if (out.bytes > buffer.bytes) {
    owner_.fail(text("AM of ", out.bytes, " bytes to rank ", out.target),
                text("the buffer was prepared for ", buffer.bytes), "prepare a larger buffer");
  }
  if (out.via == transport::channel::request && current_handler != handler_context::outside) {
    refuse_request(out);
  }
  if (out.kind == am_category::long_) {
    out.payload = buffer.data;
    if (!send(out, immediate)) return false;
    cancel(out.target, buffer);
    return true;
  }
  out.endpoint = index_;
  ordered_before_other_ranks();
  transport::transport& via = core_access::via(owner_, out.target);
  if (via.commit(buffer, out) != transport::post::done) {
    if (immediate && !owner_.failed(out.target)) {
      trace::count(trace::counter::refusals);
      return false;
    }
    if (!layer_access::wait_for_room(owner_, out.target, out.via, [&] {
          return via.commit(buffer, out) == transport::post::done;
        })) {
      via.cancel(buffer);
      return true;
    }
  }
  count_sent(out);
  if (out.target == owner_.rank() && owner_.threaded()) layer_access::wake_own_threads(owner_);
  return true;
}

void endpoint::cancel(rank_id target, const transport::staging& buffer) noexcept {
  core_access::via(owner_, target).cancel(buffer);
}

}  // namespace atl
