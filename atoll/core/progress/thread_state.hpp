// SPDX-License-Identifier: BSD-3-Clause
//
// The state of each thread: whether it is inside a handler (where blocking and requests are
// forbidden), and its implicit operations (NBI), which by their nature belong to the thread that
// started them. Transfers that complete at once never come here.
#pragma once

#include <atoll/base/language.hpp>
#include <atoll/core/progress/event.hpp>
#include <atoll/transport/message.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace atl {

class operation_group;

/// Where a thread is with respect to handlers.
enum class handler_context : std::uint8_t { outside, request, reply };

extern ATOLL_CONSTINIT thread_local handler_context current_handler
    [[gnu::tls_model("initial-exec")]];

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
/// More messages may be handled inside, so the handler itself must limit how deep polls nest.
class outside_handler {
 public:
  outside_handler() noexcept : inside_(current_handler) {
    current_handler = handler_context::outside;
  }
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

  /// The status of all operations of this kind outside of regions that have ended since the last
  /// call. Call it when they are complete.
  operation_status take_status(implicit kind) noexcept;

  /// From now on operations count in this group; null: in the thread's own records. Returns the
  /// previous group. Not while a region is open.
  operation_group* count_in(operation_group* group) noexcept;

  void begin_region() noexcept;
  bool in_region() const noexcept { return in_region_; }

  /// Ends the region; empty when all its operations are done already.
  event end_region() noexcept;

  /// Whether nothing that was started here is under way, in an open region or outside of it.
  bool is_idle() const noexcept;

  /// Forgets a region that the previous thread has left open, for the next one. Only when idle.
  void start_over() noexcept;

 private:
  operation_pool& pool_;
  std::array<operation*, static_cast<std::size_t>(implicit::count)> outside_{};
  operation* region_ = nullptr;
  bool in_region_ = false;
  operation_group* group_ = nullptr;
};

/// The implicit operations of all threads of one runtime. A thread borrows a state when it first
/// needs one and returns it when the thread ends, with its records, which operations under way may
/// still count down. Another thread gets the state once these are complete. So threads that come
/// and go take no more memory than the most threads that exist at one time.
///
/// A thread and its runtime may end in any order: both hold a share of this. The pool is the
/// runtime's, and is touched by borrow() only.
class implicit_states {
 public:
  explicit implicit_states(operation_pool& pool) noexcept : pool_(pool) {}

  /// A state without operations, for the calling thread alone until it gives it back.
  implicit_state& borrow();
  void give_back(implicit_state& of_ended_thread) noexcept;

  /// The number of states, lent or not.
  std::size_t count() noexcept;

 private:
  operation_pool& pool_;
  std::mutex guard_;
  std::vector<std::unique_ptr<implicit_state>> made_;
  std::vector<implicit_state*> free_;  // its capacity is at least the size of made_
};

/// The state of the calling thread among those of the runtime with this number.
implicit_state& implicit_state_of_thread(std::uint64_t runtime_serial,
                                         const std::shared_ptr<implicit_states>& states);

}  // namespace atl
