// SPDX-License-Identifier: BSD-3-Clause
//
// Continuations whose operations are complete, until progress runs them. The last piece of an
// operation ends in a handler, in a poll or on another thread, where no code of a front may run; so
// it only pushes the record here. The list is an attachment so that waiting threads look after it;
// the next progress of any thread runs what it holds, outside of handlers and when attachments have
// been advanced. So a continuation may make progress itself, and wait for what attachments do.
//
// Threads: any.
#pragma once

#include <atoll/core/progress/attachment.hpp>
#include <atoll/core/progress/event.hpp>

#include <atomic>

namespace atl {

class runtime;

class continuation_list final : public attachment {
 public:
  explicit continuation_list(runtime& owner) noexcept : owner_(owner) {}

  /// Calls `then` when the operation is complete and gives its record back; the event is empty
  /// then. False: the operation was done already, and `then` is not called.
  bool attach(event& done, continuation then) noexcept;

  /// The operation is complete; its continuation is due.
  void push(operation& complete) noexcept;

  /// Calls the continuations that are due; true when there were any.
  bool run() noexcept;

  bool advance() noexcept override { return false; }
  bool busy() const noexcept override {
    // Acquire: pairs with the release of push().
    return due_.load(std::memory_order_acquire) != nullptr;
  }

 private:
  runtime& owner_;
  std::atomic<operation*> due_ = nullptr;  // newest first
};

}  // namespace atl
