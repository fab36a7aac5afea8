// SPDX-License-Identifier: BSD-3-Clause
//
// An endpoint: one addressable party. It has handlers, and is bound to a segment, which its long
// messages and the transfers through it name: the heaps, unless it is bound to another. The
// primordial endpoint of every rank has index 0, and a program may have more of the lowest indices.
// Each front has endpoints that the runtime gives it (layer_access::endpoint_of), and so have the
// runtime's own messages. So all can use all 256 handler indices of their endpoints.
//
// Threads: sending and transfers from any thread in mode `any`; binding is set-up.
#pragma once

#include <atoll/base/copy.hpp>
#include <atoll/core/am/am.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/core/progress/thread_state.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/trace/counters.hpp>

#include <cstddef>
#include <cstdint>

namespace atl {

class endpoint {
 public:
  endpoint(runtime& owner, std::uint8_t index);
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  runtime& owner() const noexcept { return owner_; }
  std::uint8_t index() const noexcept { return index_; }
  handler_table& handlers() noexcept { return handlers_; }

  /// Has messages for which this endpoint has no handler run that of another one. Set-up, alike on
  /// all ranks; until then there is none, but for a program's endpoints the primordial one.
  void fall_back_to(endpoint& other) noexcept { fallback_ = &other; }
  endpoint* fallback() const noexcept { return fallback_; }

  /// Binds another segment, which must outlive this endpoint. Ranks that use it bind alike.
  void bind(segment& to) noexcept { bound_ = &to; }
  segment& bound() const noexcept { return *bound_; }
  /// Transfers take a segment, and an endpoint for the one it is bound to.
  operator segment&() const noexcept { return *bound_; }  // NOLINT(google-explicit-constructor)

  rank_id ranks() const noexcept { return ranks_; }

  // --- active messages -----------------------------------------------------------------------

  /// Sends a request: `out` names target, category, handler, arguments and payload. The payload may
  /// be reused when the call returns. Waits for room while handlers run; with `immediate` it
  /// returns false instead, and nothing has happened. A message to a rank that is lost is dropped,
  /// as if the rank had been lost after it. Errors end the job with a message: a bad rank, too many
  /// arguments, a payload that is too large, a call in a handler.
  bool request(am_message&& out, bool immediate = false) noexcept {
    if (current_handler != handler_context::outside || out.target >= ranks_) [[unlikely]] {
      refuse_request(out);
    }
    out.via = transport::channel::request;
    return send(out, immediate);
  }
  bool request(const am_message& out, bool immediate = false) noexcept {
    return request(am_message(out), immediate);
  }

  /// A buffer of at least out.bytes (at most medium_max) to fill in place, for a request to
  /// out.target or a reply. Its data is null only when `immediate` and none is free. End it by one
  /// commit, or by cancel.
  transport::staging prepare(const am_message& out, bool immediate) noexcept;

  /// Sends a prepared buffer; false only when `immediate`, and then the buffer is still held.
  bool commit(const transport::staging& buffer, const am_message& message, bool immediate) noexcept;
  void cancel(rank_id target, const transport::staging& buffer) noexcept;

  /// Sends a message whose channel is set already: what request() and reply() come down to.
  bool send(am_message& out, bool immediate) noexcept;

  /// Most payload of a medium message to `target`, in bytes; the same for requests and replies and
  /// for any number of arguments. A long may be as large as the segment.
  std::size_t medium_max(rank_id) const noexcept { return medium_max_; }

 private:
  bool send_long(am_message& out, bool immediate) noexcept;
  bool send_long_by_kernel(am_message& out, bool immediate) noexcept;
  bool send_long_by_put(am_message& out) noexcept;
  bool send_long_in_pieces(am_message& out, bool immediate) noexcept;
  bool post(am_message& out, bool immediate) noexcept;
  [[noreturn]] void refuse_request(const am_message& out) const noexcept;
  [[noreturn]] void refuse_size(const am_message& out) const noexcept;
  void count_sent(const am_message& out) const noexcept;

  runtime& owner_;
  std::uint8_t index_;
  rank_id ranks_;
  std::size_t medium_max_;
  segment* bound_;
  endpoint* fallback_ = nullptr;
  handler_table handlers_;
};

}  // namespace atl
