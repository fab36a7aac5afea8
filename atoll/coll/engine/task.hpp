// SPDX-License-Identifier: BSD-3-Clause
//
// An algorithm of a collective is a coroutine that returns a task: straight-line code that stops
// where it must wait and goes on when progress has brought what it waits for. Tasks nest: one may
// `co_await` another. The first parameter of every task is `call&`; its engine gives the memory of
// the frame, from free lists.
//
// A task never runs by itself. The engine resumes the innermost one of an operation (its leaf) and
// comes back when that waits; a task that ends makes its caller the leaf. So the stack does not
// grow with nesting or loops, on any compiler.
//
// Write `task inner = other(c); co_await inner;` rather than one expression: g++ 12 mishandles some
// temporaries with destructors there.
#pragma once

#include <atoll/coll/engine/block_pool.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <utility>

namespace atl::coll {

class call;

/// The engine's record of how far an operation has run.
struct execution {
  std::coroutine_handle<> leaf = {};
  bool waits = false;              // the leaf has stopped for something other than a task
  bool (*ready)(void*) = nullptr;  // asked before it goes on; null: it is marked as ready
  void* ready_context = nullptr;   // argument of `ready`
  unsigned checks_max = 0;         // how often to ask before stopping at all
};

class [[nodiscard]] task {
 public:
  struct promise_type;
  using handle = std::coroutine_handle<promise_type>;

  task() = default;
  task(task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  task& operator=(task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~task() {
    if (handle_) handle_.destroy();
  }

  bool done() const noexcept { return handle_.done(); }
  std::coroutine_handle<> start() const noexcept { return handle_; }
  void destroy() noexcept {
    if (handle_) std::exchange(handle_, {}).destroy();
  }

  // Awaiting a task runs it to its end.
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) noexcept;
  void await_resume() const noexcept {}

 private:
  explicit task(handle made) noexcept : handle_(made) {}
  handle handle_ = {};
};

/// The part of a call that tasks need for their memory. call.hpp has the rest.
struct task_context {
  block_pool* frames = nullptr;
  execution* run = nullptr;
};
const task_context& context_of(const call& call) noexcept;

struct task::promise_type {
  template <class... Rest>
  explicit promise_type(call& call, Rest&&...) noexcept : run(context_of(call).run) {}

  template <class... Rest>
  static void* operator new(std::size_t bytes, call& call, Rest&&...) noexcept {
    return context_of(call).frames->take(bytes);
  }
  static void operator delete(void* frame, std::size_t) noexcept { block_pool::give_back(frame); }

  struct at_end {
    bool await_ready() const noexcept { return false; }
    void await_suspend(handle ended) const noexcept {
      ended.promise().run->leaf = ended.promise().caller;
    }
    void await_resume() const noexcept {}
  };

  task get_return_object() noexcept { return task(handle::from_promise(*this)); }
  // Never used, since take() does not fail; makes the compiler drop the path of exceptions.
  static task get_return_object_on_allocation_failure() noexcept { return {}; }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  at_end final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

  execution* run;
  std::coroutine_handle<> caller = {};  // none: the root
};

inline void task::await_suspend(std::coroutine_handle<> caller) noexcept {
  handle_.promise().caller = caller;
  handle_.promise().run->leaf = handle_;
}

/// `co_await condition([&] { return ...; })` goes on when the predicate is true. Every progress
/// evaluates it, on one thread at a time; a rank that makes it true for another one wakes that
/// rank afterwards (runtime::wake). The predicate must be cheap, have no effects and not wait.
template <class Predicate>
class condition {
 public:
  explicit condition(Predicate predicate) noexcept : predicate_(std::move(predicate)) {}

  bool await_ready() noexcept { return predicate_(); }
  bool await_suspend(task::handle leaf) noexcept {
    execution& run = *leaf.promise().run;
    for (unsigned asked = 0; asked < run.checks_max; ++asked) {
      if (predicate_()) return false;
    }
    run.leaf = leaf;
    run.waits = true;
    run.ready = [](void* self) { return static_cast<condition*>(self)->predicate_(); };
    run.ready_context = this;
    return true;
  }
  void await_resume() const noexcept {}

 private:
  Predicate predicate_;
};

}  // namespace atl::coll
