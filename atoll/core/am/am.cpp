// SPDX-License-Identifier: BSD-3-Clause
//
// Handler tables and replies.
#include <atoll/core/am/am.hpp>

#include <atoll/base/assert.hpp>
#include <atoll/core/am/endpoint.hpp>
#include <atoll/core/job/core_access.hpp>

namespace atl {

bool handler_table::set(handler_id index, const am_entry& entry) noexcept {
  slot& chosen = entries_[index];
  std::uint32_t expected = 0;
  // Claims the slot against other registering threads; the entry is published by the store below.
  if (!chosen.accepts.compare_exchange_strong(expected, claimed, std::memory_order_relaxed)) {
    return false;
  }
  chosen.entry = entry;
  std::uint32_t accepts = registered;
  for (const transport::channel via : {transport::channel::request, transport::channel::reply}) {
    if ((entry.channels >> static_cast<unsigned>(via) & 1) == 0) continue;
    accepts |= (entry.categories & am_entry::accept_all) << place(am_category::short_, via);
  }
  chosen.accepts.store(accepts, std::memory_order_release);  // pairs with find() and taken()
  return true;
}

bool handler_table::set_any(handler_id lowest, const am_entry& entry, handler_id& index) noexcept {
  for (unsigned candidate = size; candidate-- > lowest;) {
    if (set(static_cast<handler_id>(candidate), entry)) {
      index = static_cast<handler_id>(candidate);
      return true;
    }
  }
  return false;
}

void am_token::check_reply(handler_id handler) const noexcept {
  if (is_request() && !replied_) [[likely]]
    return;
  endpoint_->owner().fail(
      text("AM reply to handler ", unsigned{handler}),
      is_request()
          ? text("handler ", unsigned{in_->handler}, " has already replied to rank ", source())
          : text("handler ", unsigned{in_->handler}, " runs for a reply of rank ", source()),
      "reply at most once, and only in the handler of a request");
}

endpoint& am_token::back() const noexcept {
  if (in_->crossing == 0) [[likely]]
    return *endpoint_;
  return core_access::endpoint_at(endpoint_->owner(), std::size_t{in_->endpoint} ^ in_->crossing);
}

bool am_token::reply(am_message&& out, bool immediate) noexcept {
  check_reply(out.handler);
  out.target = in_->source;
  out.via = transport::channel::reply;
  out.crossing = in_->crossing;
  replied_ = back().send(out, immediate);
  return replied_;
}

transport::staging am_token::prepare_reply(std::size_t bytes, bool immediate) noexcept {
  check_reply(in_->handler);
  return back().prepare({.target = source(), .via = transport::channel::reply, .bytes = bytes},
                        immediate);
}

bool am_token::commit_reply(const transport::staging& buffer, am_message out,
                            bool immediate) noexcept {
  check_reply(out.handler);
  out.target = in_->source;
  out.via = transport::channel::reply;
  out.crossing = in_->crossing;
  replied_ = back().commit(buffer, out, immediate);
  return replied_;
}

}  // namespace atl
