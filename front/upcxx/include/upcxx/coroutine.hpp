// SPDX-License-Identifier: BSD-3-Clause
//
// Futures in coroutines: `co_await` on a future, and functions that return upcxx::future written as
// coroutines. Where a future is ready the coroutine does not stop; where it is not, it is resumed
// by the thread that fulfils it, from the node in its own frame, so waiting allocates nothing. A
// coroutine begins when it is called, and its future is ready when it has returned.
//
// An exception that leaves a coroutine ends the program, as one that leaves a callback does. A
// coroutine that waits for a future that can never be fulfilled is destroyed with it.
//
// Needs C++20: in a program in C++17 this header is empty.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/future.hpp>

#if defined(__cpp_impl_coroutine)

#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// The cascade that is resuming a coroutine just now: what the coroutine makes ready when it ends
/// is added to it, so that a long chain of coroutines is a loop and not a recursion.
inline ATOLL_CONSTINIT thread_local cascade* resuming = nullptr;

/// The state of a coroutine that returns a future: the cell of that future.
template <class... T>
class coroutine_state {
 public:
  coroutine_state() = default;
  coroutine_state(const coroutine_state&) = delete;
  coroutine_state& operator=(const coroutine_state&) = delete;
  // The frame's last act: the coroutine's waiters run when its variables are gone.
  ~coroutine_state() {
    if (returned_) {
      result_->pending = 0;
      if (result_->waiting != nullptr) tell();
    }
    release(result_);
  }

  upcxx::future<T...> get_return_object() noexcept {
    return future_access::adopt<T...>(retain(result_));
  }
  std::suspend_never initial_suspend() const noexcept { return {}; }
  std::suspend_never final_suspend() const noexcept { return {}; }
  [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }

  static void* operator new(std::size_t bytes) { return take_block(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { give_block(block, bytes); }

 protected:
  template <class... U>
  void complete(U&&... values) {
    if constexpr (sizeof...(T) != 0) result_->fill(std::forward<U>(values)...);
    returned_ = true;
  }

 private:
  void tell() noexcept {
    if (resuming != nullptr) return resuming->add(*result_);
    cascade now;
    now.add(*result_);
    now.run();
  }

  bool returned_ = false;
  value_cell<T...>* result_ = make_in_block<value_cell<T...>>();
};

template <class... T>
class coroutine_promise final : public coroutine_state<T...> {
 public:
  void return_value(std::tuple<T...> values) {
    std::apply([this](auto&&... each) { this->complete(std::forward<T>(each)...); },
               std::move(values));
  }
};
template <class T>
class coroutine_promise<T> final : public coroutine_state<T> {
 public:
  template <class U = T>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) {
    if constexpr (std::is_reference_v<T>) {
      this->complete(value);
    } else {
      this->complete(std::forward<U>(value));
    }
  }
};
template <>
class coroutine_promise<> final : public coroutine_state<> {
 public:
  void return_void() { complete(); }
};

/// Waits for a future inside of a coroutine; lives in its frame.
template <class... T>
class future_awaiter final : private cell_continuation {
 public:
  explicit future_awaiter(upcxx::future<T...> awaited) noexcept : awaited_(std::move(awaited)) {}

  bool await_ready() const noexcept { return awaited_.ready(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    cell* const awaited = future_access::cell_of(awaited_);
    if (awaited == nullptr) return;  // never ready
    handle_ = waiting;
    run = [](cell_continuation& self, cascade& more) noexcept {
      auto& me = static_cast<future_awaiter&>(self);
      me.awaited_ = future_access::adopt<T...>(retain(self.source));
      cascade* const outer = std::exchange(resuming, &more);
      me.handle_.resume();
      resuming = outer;
    };
    drop = [](cell_continuation& self) noexcept {
      static_cast<future_awaiter&>(self).handle_.destroy();
    };
    // The awaiter does not hold the cell while it waits: the code that can fulfil the cell holds
    // it, and when nothing holds it any more, `drop` destroys the coroutine.
    auto released = std::move(awaited_);
    awaited->attach(*this);
  }
  decltype(auto) await_resume() const {
    if constexpr ((std::is_copy_constructible_v<kept_value<T>> && ... && true)) {
      return awaited_.result();
    } else {
      return awaited_.result_reference();
    }
  }

 private:
  upcxx::future<T...> awaited_;
  std::coroutine_handle<> handle_;
};

}  // namespace atl::upcxx_front

namespace upcxx {

template <class... T>
auto operator co_await(future<T...> awaited) noexcept {
  return atl::upcxx_front::future_awaiter<T...>(std::move(awaited));
}

}  // namespace upcxx

#endif
