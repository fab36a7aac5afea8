// SPDX-License-Identifier: BSD-3-Clause
//
// What each thread carries: whether it is inside a handler (where blocking and requests are
// forbidden), and its implicit operations (NBI), which by their nature belong to the thread that
// started them. Transfers that complete at once never come here.
#pragma once

#include <atoll/core/event.hpp>
#include <atoll/transport/message.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace atl {

/// Where a thread is with respect to handlers.
enum class handler_context : std::uint8_t { none, request, reply };

extern constinit thread_local handler_context current_handler [[gnu::tls_model("initial-exec")]];

/// Marks the thread as running a handler, for the length of a scope.
class handler_scope {
 public:
  explicit handler_scope(transport::channel via) noexcept : outer_(current_handler) {
    current_handler =
        via == transport::channel::request ? handler_context::request : handler_context::reply;
  }
  handler_scope(const handler_scope&) = delete;
  handler_scope& operator=(const handler_scope&) = delete;
  ~handler_scope() { current_handler = outer_; }

 private:
  handler_context outer_;
};

/// Leaves the handler's context for the length of a scope, in a handler whose token says that it
/// may (am_token::may_leave): as if what follows ran after the poll, with the payload still there.
/// The handler bounds by itself how deep polls nest, since more messages may be handled inside.
class outside_handler {
 public:
  outside_handler() noexcept : inside_(current_handler) { current_handler = handler_context::none; }
  outside_handler(const outside_handler&) = delete;
  outside_handler& operator=(const outside_handler&) = delete;
  ~outside_handler() { current_handler = inside_; }

 private:
  handler_context inside_;
};

/// Kinds of implicit operations that can be waited for apart.
enum class implicit : std::uint8_t { put, get, atomic, count };

/// The implicit operations of one thread in one runtime. Used by its thread only; the records are
/// completed by any.
class implicit_state {
 public:
  explicit implicit_state(operation_pool& pool) noexcept : pool_(pool) {}

  /// The record that a new implicit operation of this kind counts in.
  operation* record(implicit kind) noexcept;

  /// Whether all operations of this kind outside of regions are complete.
  bool complete(implicit kind) const noexcept;

  void begin_region() noexcept;
  bool in_region() const noexcept { return in_region_; }

  /// Ends the region; empty when all its operations are complete already.
  event end_region() noexcept;

 private:
  operation_pool& pool_;
  std::array<operation*, static_cast<std::size_t>(implicit::count)> outside_{};
  operation* region_ = nullptr;
  bool in_region_ = false;
};

}  // namespace atl
