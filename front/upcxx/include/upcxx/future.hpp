// SPDX-License-Identifier: BSD-3-Clause
//
// Futures: the consumer's side of a non-blocking operation. A future is a small value. When it is
// ready and its values are plain bytes, they lie in it, so an operation that is complete when it
// returns allocates nothing; otherwise it refers to a cell (cell.hpp) that all its copies share.
//
// A callback given to then() runs at once when the future is ready, otherwise when it becomes so,
// by the thread that fulfils it. Futures belong to a persona: neither they nor their copies may be
// used by two threads at once. Spec: chapter 5.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/by_value.hpp>
#include <upcxx/cell.hpp>

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace upcxx {

template <class... T>
class future;
template <class... T>
class promise;

}  // namespace upcxx

namespace atl::upcxx_front {

template <class... T>
class coroutine_promise;
struct future_access;

template <class T>
inline constexpr bool is_future = false;
template <class... T>
inline constexpr bool is_future<upcxx::future<T...>> = true;

/// The future that stands for a result of type T.
template <class T>
struct future_of_result {
  using type = upcxx::future<T>;
};
template <>
struct future_of_result<void> {
  using type = upcxx::future<>;
};
template <class... T>
struct future_of_result<upcxx::future<T...>> {
  using type = upcxx::future<T...>;
};
template <class T>
using future_of = typename future_of_result<std::conditional_t<
    std::is_lvalue_reference_v<T> && !is_future<without_cvref<T>>, T, without_cvref<T>>>::type;

/// Values that a ready future carries in itself. A type that can only be moved may be trivially
/// copyable nevertheless.
template <class... T>
inline constexpr bool carried =
    ((std::is_trivially_copyable_v<kept_value<T>> && std::is_copy_constructible_v<kept_value<T>>) &&
     ... && true) &&
    sizeof(kept_values<T...>) <= 32;

/// A future that holds its values itself points to this in place of a cell.
inline ATOLL_CONSTINIT cell values_in_future{0};

[[noreturn, gnu::cold]] void refuse_future(const char* call) noexcept;

/// Makes progress until the cell is ready; null: for ever.
void wait_for(const cell* awaited) noexcept;

template <class... T>
union carried_values {
  carried_values() noexcept : empty{} {}
  unsigned char empty[sizeof(kept_values<T...>)];
  kept_values<T...> values;
};
/// The parts of a future: the cell, null when the future is never ready, and room for values that
/// the future carries in itself.
template <bool HasRoom, class... T>
struct future_state {
  cell* shared = nullptr;
};
template <class... T>
struct future_state<true, T...> {
  cell* shared = nullptr;
  carried_values<T...> own;
};
inline constexpr kept_values<> nothing;

/// The types that result<I>() and result_reference<I>() return.
template <int I, class... T>
struct result_types {
  static constexpr bool selects_one = I >= 0 && I < static_cast<int>(sizeof...(T));
  static constexpr bool selects_tuple = I == -1 && sizeof...(T) != 0;
  static constexpr std::size_t index = I < 0 ? 0 : static_cast<std::size_t>(I);

  static auto value() {
    if constexpr (selects_one || (selects_tuple && sizeof...(T) == 1)) {
      return type_tag<std::tuple_element_t<index, std::tuple<T...>>>();
    } else if constexpr (selects_tuple) {
      return type_tag<std::tuple<T...>>();
    } else {
      return type_tag<void>();
    }
  }
  static auto reference() {
    if constexpr (selects_one || (selects_tuple && sizeof...(T) == 1)) {
      return type_tag<shown_value<std::tuple_element_t<index, std::tuple<T...>>>>();
    } else if constexpr (selects_tuple) {
      return type_tag<std::tuple<shown_value<T>...>>();
    } else {
      return type_tag<void>();
    }
  }
  using value_type = typename decltype(value())::type;
  using reference_type = typename decltype(reference())::type;

  /// Says why a value cannot be returned as one.
  static constexpr bool check_value() {
    if constexpr (!std::is_void_v<value_type> && !std::is_reference_v<value_type>) {
      static_assert(std::is_copy_constructible_v<value_type>,
                    "future: this type cannot be copied, and several futures may share one value: "
                    "use result_reference() or wait_reference()");
      static_assert(sizeof(value_type) <= UPCXX_MAX_VALUE_SIZE,
                    "future: this would return a large object by value: use result_reference() or "
                    "wait_reference(), or raise UPCXX_MAX_VALUE_SIZE");
    }
    return true;
  }
};

/// The same for all values as a tuple.
template <class... T>
constexpr bool check_tuple() {
  static_assert((std::is_constructible_v<T, shown_value<T>> && ...),
                "future: a type of this tuple cannot be copied, and several futures may share one "
                "value: use result_reference() or wait_reference()");
  static_assert(sizeof(std::tuple<T...>) <= UPCXX_MAX_VALUE_SIZE,
                "future: this would return a large object by value: use result_reference() or "
                "wait_reference(), or raise UPCXX_MAX_VALUE_SIZE");
  return true;
}

}  // namespace atl::upcxx_front

namespace upcxx {

/// The values of type T... of something that may still be under way. Copies share them. Belongs to
/// the persona that was current when it was made: not for two threads at once. A default one is
/// never ready. Asking for values before they are there ends the job with a message.
template <class... T>
class future {
  static_assert(!(std::is_void_v<T> || ...),
                "future<void>: a future without a value is written future<>");
  static constexpr bool carries = atl::upcxx_front::carried<T...>;
  using cell = atl::upcxx_front::cell;
  using value_tuple = atl::upcxx_front::kept_values<T...>;
  template <int I>
  using results = atl::upcxx_front::result_types<I, T...>;

 public:
  using results_type = std::tuple<T...>;
  using promise_type = atl::upcxx_front::coroutine_promise<T...>;  // of coroutines, coroutine.hpp

  /// A future that never becomes ready.
  future() noexcept = default;
  future(const future& other) noexcept {
    state_.shared = other.state_.shared;
    copy_state(other);
  }
  future(future&& other) noexcept {
    state_.shared = other.state_.shared;
    move_state(other);
  }
  future& operator=(const future& other) noexcept {
    if (this != &other) {
      future old(std::move(*this));
      state_.shared = other.state_.shared;
      copy_state(other);
    }
    return *this;
  }
  future& operator=(future&& other) noexcept {
    if (this != &other) {
      leave();
      state_.shared = other.state_.shared;
      move_state(other);
    }
    return *this;
  }
  ~future() { leave(); }

  bool ready() const noexcept {
    // The first comparison is known to the compiler where an operation has just completed.
    return holds_values() || (state_.shared != nullptr && state_.shared->ready());
  }
  /// The same.
  bool is_ready() const noexcept { return ready(); }

  /// The values, by value; the future is ready. All of them, or that of an index; void for an index
  /// that is none. Out of a temporary future the values are moved where no other shares them.
  template <int I = -1>
  typename results<I>::value_type result() const& {
    must_be_ready("future::result");
    static_assert(results<I>::check_value());
    if constexpr (results<I>::selects_one || (results<I>::selects_tuple && sizeof...(T) == 1)) {
      return show_one<results<I>::index>();
    } else if constexpr (results<I>::selects_tuple) {
      return result_tuple();
    }
  }
  template <int I = -1>
  typename results<I>::value_type result() && {
    must_be_ready("future::result");
    static_assert(results<I>::check_value());
    if constexpr (results<I>::selects_one || (results<I>::selects_tuple && sizeof...(T) == 1)) {
      return take_one<results<I>::index>();
    } else if constexpr (results<I>::selects_tuple) {
      return std::move(*this).result_tuple();
    }
  }
  std::tuple<T...> result_tuple() const& {
    must_be_ready("future::result_tuple");
    static_assert(atl::upcxx_front::check_tuple<T...>());
    return atl::with_indices<sizeof...(T)>(
        [&](auto... i) { return std::tuple<T...>(show_one<i>()...); });
  }
  std::tuple<T...> result_tuple() && {
    must_be_ready("future::result_tuple");
    static_assert(atl::upcxx_front::check_tuple<T...>());
    return atl::with_indices<sizeof...(T)>(
        [&](auto... i) { return std::tuple<T...>(take_one<i>()...); });
  }
  /// The same by reference; valid as long as this future or a copy of it holds the values.
  template <int I = -1>
  typename results<I>::reference_type result_reference() const {
    must_be_ready("future::result_reference");
    if constexpr (results<I>::selects_one || (results<I>::selects_tuple && sizeof...(T) == 1)) {
      return show_one<results<I>::index>();
    } else if constexpr (results<I>::selects_tuple) {
      return atl::with_indices<sizeof...(T)>([&](auto... i) {
        return std::tuple<atl::upcxx_front::shown_value<T>...>(show_one<i>()...);
      });
    }
  }

  /// Makes user-level progress until the future is ready; then returns as result() does. Must not
  /// be called in the restricted context.
  template <int I = -1>
  typename results<I>::value_type wait() const& {
    wait_ready();
    return result<I>();
  }
  template <int I = -1>
  typename results<I>::value_type wait() && {
    wait_ready();
    return std::move(*this).template result<I>();
  }
  std::tuple<T...> wait_tuple() const& {
    wait_ready();
    return result_tuple();
  }
  std::tuple<T...> wait_tuple() && {
    wait_ready();
    return std::move(*this).result_tuple();
  }
  template <int I = -1>
  typename results<I>::reference_type wait_reference() const {
    wait_ready();
    return result_reference<I>();
  }

  /// The same where the caller says how progress is made.
  template <int I = -1, class Progress, class = std::enable_if_t<std::is_invocable_v<Progress>>>
  typename results<I>::value_type wait(Progress&& progress) const {
    while (!ready()) progress();
    return result<I>();
  }
  template <class Progress, class = std::enable_if_t<std::is_invocable_v<Progress>>>
  std::tuple<T...> wait_tuple(Progress&& progress) const {
    while (!ready()) progress();
    return result_tuple();
  }
  template <int I = -1, class Progress, class = std::enable_if_t<std::is_invocable_v<Progress>>>
  typename results<I>::reference_type wait_reference(Progress&& progress) const {
    while (!ready()) progress();
    return result_reference<I>();
  }

  /// A future of what `func` returns when it is called with the values: references as they are,
  /// others as references to const. A future that it returns is waited for. Called at once, before
  /// then() returns, when this future is ready.
  template <class Func>
  auto then(Func&& func) const;

 private:
  friend struct atl::upcxx_front::future_access;

  explicit future(cell* counted) noexcept { state_.shared = counted; }

  bool holds_values() const noexcept {
    return state_.shared == &atl::upcxx_front::values_in_future;
  }

  void copy_state(const future& other) noexcept {
    if (holds_values()) {
      if constexpr (carries) copy_values(other);
    } else if (state_.shared != nullptr) {
      retain(state_.shared);
    }
  }
  void move_state(future& other) noexcept {
    if (holds_values()) {
      if constexpr (carries) copy_values(other);
    } else {
      other.state_.shared = nullptr;
    }
  }
  void copy_values(const future& other) noexcept {
    if constexpr (sizeof...(T) != 0) atl::construct(&state_.own.values, other.state_.own.values);
  }
  void leave() noexcept {
    if (state_.shared != nullptr && !holds_values()) release(state_.shared);
  }

  void must_be_ready(const char* call) const noexcept {
    if (!ready()) [[unlikely]]
      refuse_early(call);
  }
  [[noreturn, gnu::cold]] static void refuse_early(const char* call) noexcept;
  void wait_ready() const noexcept {
    if (!ready()) atl::upcxx_front::wait_for(state_.shared);
  }

  const value_tuple& stored_values() const noexcept {
    if constexpr (carries) {
      if (holds_values()) {
        if constexpr (sizeof...(T) != 0) {
          return state_.own.values;
        } else {
          return atl::upcxx_front::nothing;
        }
      }
    }
    return atl::upcxx_front::values_of<T...>(*state_.shared);
  }
  template <std::size_t I>
  atl::upcxx_front::shown_value<std::tuple_element_t<I, std::tuple<T...>>> show_one()
      const noexcept {
    return atl::upcxx_front::show<std::tuple_element_t<I, std::tuple<T...>>>(
        std::get<I>(stored_values()));
  }
  /// A value, moved out if no other future can see it.
  template <std::size_t I>
  std::tuple_element_t<I, std::tuple<T...>> take_one() {
    using value = std::tuple_element_t<I, std::tuple<T...>>;
    const bool is_unshared = !holds_values() && atl::upcxx_front::holds_alone(*state_.shared);
    if constexpr (!std::is_reference_v<value> &&
                  !(carries && std::is_trivially_copyable_v<value>)) {
      if (is_unshared) {
        auto& owned = *static_cast<atl::upcxx_front::value_cell<T...>*>(state_.shared->holder);
        return std::move(std::get<I>(owned.values));
      }
    }
    return show_one<I>();
  }

  atl::upcxx_front::future_state<carries && sizeof...(T) != 0, T...> state_;
};

}  // namespace upcxx

namespace atl::upcxx_front {

/// For the parts of this front: how futures are made of cells, and back.
struct future_access {
  /// Takes over one reference.
  template <class Future>
  static Future adopt_as(cell* counted) noexcept {
    return Future(counted);
  }
  template <class... T>
  static upcxx::future<T...> adopt(cell* counted) noexcept {
    return upcxx::future<T...>(counted);
  }
  template <class... T>
  static cell* cell_of(const upcxx::future<T...>& from) noexcept {
    return from.state_.shared;
  }
  template <class... T>
  static const kept_values<T...>& values(const upcxx::future<T...>& ready) noexcept {
    return ready.stored_values();
  }
  template <class... T>
  static bool holds_values(const upcxx::future<T...>& future) noexcept {
    return future.holds_values();
  }

  /// A ready future of values as they are kept.
  template <class... T>
  static upcxx::future<T...> ready_kept(kept_values<T...>&& values) {
    if constexpr (carried<T...>) {
      upcxx::future<T...> made(&values_in_future);
      if constexpr (sizeof...(T) != 0) atl::construct(&made.state_.own.values, std::move(values));
      return made;
    } else {
      auto* const made = make_in_block<value_cell<T...>>();
      atl::construct(&made->values, std::move(values));
      made->filled = true;
      made->pending = 0;
      return upcxx::future<T...>(made);
    }
  }

  /// A ready future.
  template <class... T, class... U>
  static upcxx::future<T...> ready(U&&... values) {
    if constexpr (carried<T...>) {
      upcxx::future<T...> made(&values_in_future);
      if constexpr (sizeof...(T) != 0)
        atl::construct(&made.state_.own.values, keep<T>(std::forward<U>(values))...);
      return made;
    } else {
      auto* const made = make_in_block<value_cell<T...>>();
      made->fill(std::forward<U>(values)...);
      made->pending = 0;
      return upcxx::future<T...>(made);
    }
  }
};

/// The values of a ready future, moved out of it if no other future can see that.
template <class... T>
kept_values<T...> take_values(upcxx::future<T...>& from) {
  cell* const place = future_access::cell_of(from);
  if constexpr (!(std::is_copy_constructible_v<kept_value<T>> && ... && true)) {
    return std::move(static_cast<value_cell<T...>*>(place->holder)->values);
  } else if (!future_access::holds_values(from) && holds_alone(*place)) {
    return std::move(static_cast<value_cell<T...>*>(place->holder)->values);
  } else {
    return future_access::values(from);
  }
}

/// A ready future whose values no other future can see, and so no other thread: the same one, or of
/// values of its own.
template <class... T>
upcxx::future<T...> own_values(upcxx::future<T...>&& from) {
  const cell* const place = future_access::cell_of(from);
  if (future_access::holds_values(from) || holds_alone(*place)) return std::move(from);
  return future_access::ready_kept<T...>(take_values(from));
}

/// Gives a cell the values of a ready future, without a copy where those are in a cell.
template <class... T>
void take_over(value_cell<T...>& into, const upcxx::future<T...>& ready) noexcept {
  if (!future_access::holds_values(ready)) {
    share_values(into, *future_access::cell_of(ready));
  } else if constexpr (carried<T...>) {
    atl::construct(&into.values, future_access::values(ready));
    into.filled = true;
  }
}

/// Calls `func` with the values of a ready future, as then() promises.
template <class Func, class... T>
decltype(auto) call_with(Func&& func, const upcxx::future<T...>& ready) {
  return std::apply(
      [&](const kept_value<T>&... each) -> decltype(auto) {
        return std::invoke(std::forward<Func>(func), show<T>(each)...);
      },
      future_access::values(ready));
}

/// A future of what call() returns; waits for a future that it returns.
template <class Call>
auto future_from(Call&& call) {
  using result = decltype(std::forward<Call>(call)());
  if constexpr (is_future<without_cvref<result>>) {
    return without_cvref<result>(std::forward<Call>(call)());
  } else if constexpr (std::is_void_v<result>) {
    std::forward<Call>(call)();
    return future_access::ready<>();
  } else {
    using value =
        std::conditional_t<std::is_lvalue_reference_v<result>, result, without_cvref<result>>;
    return future_access::ready<value>(std::forward<Call>(call)());
  }
}

/// A cell that becomes ready with the result of a callback. Its continuation waits first for the
/// values that the callback is called with, and then for the future that it returned, if it did.
template <class Func, class Source, class Target>
class then_cell;

template <class Func, class... T, class... U>
class then_cell<Func, upcxx::future<T...>, upcxx::future<U...>> final : public value_cell<U...>,
                                                                        private cell_continuation {
 public:
  template <class From>
  then_cell(From&& func, cell& awaited) : func_(std::forward<From>(func)) {
    this->end = &end_this;
    run = &run_callback;
    drop = &drop_this;
    retain(this);
    awaited.attach(*this);
  }
  ~then_cell() {
    if (func_alive_) std::destroy_at(&func_);
  }

 private:
  static void end_this(cell& self) noexcept { end_in_block(static_cast<then_cell*>(&self)); }
  static then_cell& from_continuation(cell_continuation& self) noexcept {
    return static_cast<then_cell&>(self);
  }
  static void drop_this(cell_continuation& self) noexcept { release(&from_continuation(self)); }

  static void run_callback(cell_continuation& self, cascade& more) noexcept {
    then_cell& me = from_continuation(self);
    const auto given = future_access::adopt<T...>(retain(self.source));
    auto result =
        future_from([&]() -> decltype(auto) { return call_with(std::move(me.func_), given); });
    std::destroy_at(&me.func_);
    me.func_alive_ = false;
    me.take(result, more);
  }
  static void run_forward(cell_continuation& self, cascade& more) noexcept {
    share_values(from_continuation(self), *self.source);
    from_continuation(self).complete(more);
  }

  void take(const upcxx::future<U...>& result, cascade& more) noexcept {
    cell* const inner = future_access::cell_of(result);
    if (inner == nullptr) return release(this);  // never ready, and so are we
    if (!inner->ready()) {
      run = &run_forward;
      inner->attach(*this);
      return;
    }
    take_over<U...>(*this, result);
    complete(more);
  }
  void complete(cascade& more) noexcept {
    this->pending = 0;
    more.add(*this);
    release(this);
  }

  union {
    Func func_;
  };
  bool func_alive_ = true;
};

}  // namespace atl::upcxx_front

namespace upcxx {

template <class... T>
template <class Func>
auto future<T...>::then(Func&& func) const {
  namespace front = atl::upcxx_front;
  static_assert(std::is_invocable_v<Func, front::shown_value<T>...> ||
                    std::is_invocable_v<std::decay_t<Func>, front::shown_value<T>...>,
                "future::then: the callback cannot be called with the values of this future: each "
                "value of type U is given as const U&, and references as they are");
  using stored = std::decay_t<Func>;
  static_assert(
      std::is_constructible_v<stored, Func>,
      "future::then: the callback is kept until the future is ready, so an lvalue must be "
      "copyable, and an rvalue movable");
  using target = front::future_of<std::invoke_result_t<stored, front::shown_value<T>...>>;
  if (ready()) {
    const future self = *this;  // the callback may destroy this future
    return target(front::future_from([&]() -> decltype(auto) {
      // As an rvalue, as it would be called later.
      if constexpr (std::is_lvalue_reference_v<Func>)
        return front::call_with(stored(func), self);
      else
        return front::call_with(std::move(func), self);
    }));
  }
  if (state_.shared == nullptr) return target();
  using made = front::then_cell<stored, future, target>;
  return front::future_access::adopt_as<target>(
      front::make_in_block<made>(std::forward<Func>(func), *state_.shared));
}

template <class... T>
void future<T...>::refuse_early(const char* call) noexcept {
  atl::upcxx_front::refuse_future(call);
}

/// A ready future of these values.
template <class... T>
future<T...> make_future(T... results) {
  static_assert((std::is_constructible_v<T, T&&> && ...),
                "make_future: the values are moved into the future, and a type here cannot be");
  return atl::upcxx_front::future_access::ready<T...>(static_cast<T&&>(results)...);
}

/// A future as it is; any other value as a ready future.
template <class T>
auto to_future(T future_or_value) {
  if constexpr (atl::upcxx_front::is_future<T>) {
    return future_or_value;
  } else {
    return make_future(std::move(future_or_value));
  }
}

}  // namespace upcxx
