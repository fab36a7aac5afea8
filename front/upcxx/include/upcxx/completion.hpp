// SPDX-License-Identifier: BSD-3-Clause
//
// Completion objects: how a program is notified of the events of an operation. source_cx,
// remote_cx and operation_cx make simple ones, `|` joins them, and the operation takes the whole
// list; the futures asked for come back in the order of the list.
//
// Eager notifications (the default, unless UPCXX_DEFER_COMPLETION is 1) of an operation that is
// complete when its call returns are done there and then: a ready future, a promise that was never
// counted up. Deferred ones wait for the next user-level progress. Spec: chapter 7.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/by_value.hpp>
#include <upcxx/future.hpp>
#include <upcxx/persona.hpp>
#include <upcxx/promise.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#ifndef UPCXX_DEFER_COMPLETION
#define UPCXX_DEFER_COMPLETION 0
#endif

namespace atl::upcxx_front {

/// `late_source`: the source event of a copy that knows only at its end that the source is free.
enum class cx_event : std::uint8_t { source, late_source, remote, operation };

/// The kinds of simple completion objects. `event` is the event that they notify of.
template <cx_event Event, bool Eager>
struct future_cx {
  static constexpr cx_event event = Event;
};
template <cx_event Event, bool Eager, class... T>
struct promise_cx {
  static constexpr cx_event event = Event;
  upcxx::promise<T...> to;
};
template <cx_event Event, class Func>
struct lpc_cx {
  static constexpr cx_event event = Event;
  upcxx::persona* to;
  Func func;
};
/// Buffered and blocking: the source may be reused when the call returns.
struct copied_cx {
  static constexpr cx_event event = cx_event::source;
};
/// Whether the function object of a call at the target is kept as a copy, because that copies only
/// bytes; otherwise lvalues are kept by reference, as arguments are.
template <class Func>
inline constexpr bool copied_as_bytes = std::is_trivially_copyable_v<std::decay_t<Func>> &&
                                        std::is_copy_constructible_v<std::decay_t<Func>>;
template <class Func>
using kept_function = std::conditional_t<std::is_lvalue_reference_v<Func> && !copied_as_bytes<Func>,
                                         Func, std::decay_t<Func>>;
/// A call at the target. It holds lvalues by their addresses.
template <class Func, class... Args>
struct rpc_cx {
  static constexpr cx_event event = cx_event::remote;
  kept_value<Func> func;
  kept_values<Args...> args;
};

template <class T>
inline constexpr bool is_lpc = false;
template <cx_event Event, class Func>
inline constexpr bool is_lpc<lpc_cx<Event, Func>> = true;

/// The completion object that programs see: a list of simple ones.
template <class... Cx>
struct completions {
  std::tuple<Cx...> parts;

  static constexpr bool includes(cx_event event) { return ((Cx::event == event) || ... || false); }
  /// Whether a persona is notified of the operation's end by a call.
  static constexpr bool has_operation_lpc =
      ((is_lpc<Cx> && Cx::event == cx_event::operation) || ... || false);
  /// Whether some notification is given in the initiator's own user-level progress.
  static constexpr bool tells_initiator =
      ((Cx::event == cx_event::late_source || (Cx::event == cx_event::operation && !is_lpc<Cx>)) ||
       ... || false);
};

template <class T>
inline constexpr bool is_completions = false;
template <class... Cx>
inline constexpr bool is_completions<completions<Cx...>> = true;
template <class T>
inline constexpr bool completion_list = is_completions<without_cvref<T>>;

template <class Cx>
completions<Cx> only(Cx cx) {
  return {std::tuple<Cx>(std::move(cx))};
}

inline constexpr bool eager_by_default = UPCXX_DEFER_COMPLETION == 0;

/// The functions that source_cx and operation_cx have in common.
template <cx_event Event>
struct initiator_cx {
  static auto as_future() { return only(future_cx<Event, eager_by_default>{}); }
  static auto as_eager_future() { return only(future_cx<Event, true>{}); }
  static auto as_defer_future() { return only(future_cx<Event, false>{}); }

  template <class... T>
  static auto as_promise(upcxx::promise<T...> to) {
    return only(promise_cx<Event, eager_by_default, T...>{std::move(to)});
  }
  template <class... T>
  static auto as_eager_promise(upcxx::promise<T...> to) {
    return only(promise_cx<Event, true, T...>{std::move(to)});
  }
  template <class... T>
  static auto as_defer_promise(upcxx::promise<T...> to) {
    return only(promise_cx<Event, false, T...>{std::move(to)});
  }

  template <class Func>
  static auto as_lpc(upcxx::persona& target, Func&& func) {
    static_assert(std::is_copy_constructible_v<std::decay_t<Func>>,
                  "as_lpc: the function object must be copyable, since a completion object is");
    return only(lpc_cx<Event, std::decay_t<Func>>{&target, std::forward<Func>(func)});
  }
};

}  // namespace atl::upcxx_front

namespace upcxx {

/// Notifications of the source's being free again.
struct source_cx : atl::upcxx_front::initiator_cx<atl::upcxx_front::cx_event::source> {
  static auto as_buffered() { return atl::upcxx_front::only(atl::upcxx_front::copied_cx{}); }
  static auto as_blocking() { return atl::upcxx_front::only(atl::upcxx_front::copied_cx{}); }
};

/// Notifications of the whole operation's being complete.
struct operation_cx : atl::upcxx_front::initiator_cx<atl::upcxx_front::cx_event::operation> {};

/// Notifications at the target, of the data's being there.
struct remote_cx {
  template <class Func, class... Args>
  static auto as_rpc(Func&& func, Args&&... args) {
    namespace front = atl::upcxx_front;
    static_assert(
        (front::lvalue_or<std::is_copy_constructible, Func> && ... &&
         front::lvalue_or<std::is_copy_constructible, Args>),
        "as_rpc: a function object or argument that is passed as an rvalue is kept in the "
        "completion object, and so must be copyable; pass an lvalue");
    using function = front::kept_function<Func>;
    using stored = front::rpc_cx<function, Args...>;
    return front::only(
        stored{front::keep<function>(std::forward<Func>(func)),
               front::kept_values<Args...>(front::keep<Args>(std::forward<Args>(args))...)});
  }
};

}  // namespace upcxx

namespace atl::upcxx_front {

template <class A, class B>
struct joined;
template <class... A, class... B>
struct joined<completions<A...>, completions<B...>> {
  using type = completions<A..., B...>;
};

/// Found by argument-dependent lookup, from any namespace.
template <class A, class B, class = std::enable_if_t<completion_list<A> && completion_list<B>>>
auto operator|(A&& a, B&& b) {
  using list = typename joined<without_cvref<A>, without_cvref<B>>::type;
  return list{std::tuple_cat(std::forward<A>(a).parts, std::forward<B>(b).parts)};
}

using default_cx = decltype(upcxx::operation_cx::as_future());

/// Sends the call of a remote_cx::as_rpc; defined in rpc.hpp.
template <class Func, class... Args>
void send_completion_rpc(std::uint32_t target, const kept_value<Func>& func,
                         const kept_values<Args...>& args);

/// The same for an operation that is not complete: its arguments are serialized when the operation
/// starts, so the program may change them, and are sent when it is complete (mail.hpp).
struct waiting_call;
struct end_waiting_call {
  void operator()(waiting_call* gone) const noexcept;
};
using waiting_call_ptr = std::unique_ptr<waiting_call, end_waiting_call>;
template <class Func, class... Args>
waiting_call_ptr keep_completion_rpc(const kept_value<Func>& func,
                                     const kept_values<Args...>& args);
void send_waiting_call(std::uint32_t target, waiting_call_ptr call) noexcept;

// --- delivery ----------------------------------------------------------------------------------
//
// A notice is one simple completion object at work in an operation whose event brings values V.
//   at_once()   the event has happened already; returns a tuple of the future to hand out, or ()
//   promised()  it will happen; returns the same
//   tell()      it has happened, after promised(); at user-level progress of the initiator

/// A call that waits with its values. They are a base: where there are none, they take no room.
template <class Call, class... V>
class waiting_values : private kept_values<V...> {
 public:
  waiting_values(Call&& call, kept_value<V>&... values)
      : kept_values<V...>(std::move(values)...), call_(std::move(call)) {}
  void operator()() { std::apply(call_, static_cast<kept_values<V...>&>(*this)); }

 private:
  Call call_;
};
template <class... V, class Call>
waiting_values<Call, V...> call_with_values(Call call, kept_value<V>&... values) {
  return {std::move(call), values...};
}

template <class Cx, class... V>
class notice;

template <cx_event Event, bool Eager, class... V>
class notice<future_cx<Event, Eager>, V...> {
 public:
  static std::tuple<upcxx::future<V...>> at_once(const future_cx<Event, Eager>&, std::uint32_t,
                                                 kept_value<V>&... values) {
    if constexpr (Eager) {
      return future_access::ready<V...>(give<V>(values)...);
    } else {
      upcxx::promise<V...> done;
      defer_work(make_work(call_with_values<V...>(
          [done](kept_value<V>&... each) { done.fulfill_result(give<V>(each)...); }, values...)));
      return done.get_future();
    }
  }

  explicit notice(const future_cx<Event, Eager>&) {}
  std::tuple<upcxx::future<V...>> promised() { return done_.get_future(); }
  void tell(kept_value<V>&... values) { done_.fulfill_result(give<V>(values)...); }

 private:
  upcxx::promise<V...> done_;
};

/// Whether a promise of the types T may be given values of the types V.
template <class... V, class... T>
constexpr bool promise_takes(type_tag<upcxx::promise<T...>>) {
  if constexpr (sizeof...(V) != 0 && sizeof...(V) == sizeof...(T))
    return (std::is_constructible_v<T, V&&> && ...);
  else
    return sizeof...(V) == 0;
}

template <cx_event Event, bool Eager, class... T, class... V>
class notice<promise_cx<Event, Eager, T...>, V...> {
  static_assert(promise_takes<V...>(type_tag<upcxx::promise<T...>>()),
                "as_promise: the promise is not of the values that this operation brings");

 public:
  static std::tuple<> at_once(const promise_cx<Event, Eager, T...>& cx, std::uint32_t,
                              kept_value<V>&... values) {
    if constexpr (Eager && sizeof...(V) != 0) {
      cx.to.require_anonymous(1);
      fulfil_with(cx.to, values...);
    } else if constexpr (!Eager) {
      cx.to.require_anonymous(1);
      defer_work(make_work(call_with_values<V...>(
          [to = cx.to](kept_value<V>&... each) { fulfil_with(to, each...); }, values...)));
    }
    return {};
  }

  explicit notice(promise_cx<Event, Eager, T...>& cx) : to_(cx.to) {}
  std::tuple<> promised() {
    to_.require_anonymous(1);
    return {};
  }
  void tell(kept_value<V>&... values) { fulfil_with(to_, values...); }

 private:
  static void fulfil_with(const upcxx::promise<T...>& to, kept_value<V>&... values) {
    if constexpr (sizeof...(V) == 0) {
      to.fulfill_anonymous(1);
    } else {
      to.fulfill_result(give<V>(values)...);
    }
  }
  upcxx::promise<T...> to_;
};

template <cx_event Event, class Func, class... V>
class notice<lpc_cx<Event, Func>, V...> {
  static_assert(std::is_invocable_v<Func, V&&...>,
                "as_lpc: the function object cannot be called with the values of this operation");

 public:
  template <class Cx>
  static std::tuple<> at_once(Cx&& cx, std::uint32_t, kept_value<V>&... values) {
    send(*cx.to, std::forward<Cx>(cx).func, values...);
    return {};
  }

  explicit notice(lpc_cx<Event, Func>& cx) : to_(cx.to), func_(std::move(cx.func)) {}
  std::tuple<> promised() { return {}; }
  void tell(kept_value<V>&... values) { send(*to_, std::move(func_), values...); }

 private:
  template <class From>
  static void send(upcxx::persona& to, From&& from, kept_value<V>&... values) {
    to.lpc_ff(call_with_values<V...>(
        [func = Func(std::forward<From>(from))](kept_value<V>&... each) mutable {
          std::invoke(std::move(func), give<V>(each)...);
        },
        values...));
  }
  upcxx::persona* to_;
  Func func_;
};

template <class... V>
class notice<copied_cx, V...> {
 public:
  static std::tuple<> at_once(const copied_cx&, std::uint32_t) { return {}; }
};

template <class Func, class... Args, class... V>
class notice<rpc_cx<Func, Args...>, V...> {
 public:
  static std::tuple<> at_once(const rpc_cx<Func, Args...>& cx, std::uint32_t target) {
    send_completion_rpc<Func, Args...>(target, cx.func, cx.args);
    return {};
  }

  explicit notice(const rpc_cx<Func, Args...>& cx)
      : call_(keep_completion_rpc<Func, Args...>(cx.func, cx.args)) {}
  std::tuple<> promised() { return {}; }
  void tell_target(std::uint32_t target) { send_waiting_call(target, std::move(call_)); }
  waiting_call_ptr take_call() noexcept { return std::move(call_); }

 private:
  waiting_call_ptr call_;
};

/// The notice of a completion object in an operation that brings values V when it is complete.
template <class Cx, class... V>
using notice_of =
    std::conditional_t<Cx::event == cx_event::operation, notice<Cx, V...>, notice<Cx>>;

/// The futures of a list as a call returns them: none, one, or a tuple.
inline void unwrap(std::tuple<>) noexcept {}
template <class One>
One unwrap(std::tuple<One> futures) noexcept {
  return std::move(std::get<0>(futures));
}
template <class One, class Two, class... More>
std::tuple<One, Two, More...> unwrap(std::tuple<One, Two, More...> futures) noexcept {
  return futures;
}

/// Gives all notifications of an operation that is complete already. `target` is the rank whose
/// memory it uses. A list that is an rvalue gives its function objects away.
template <class... V, class List>
auto tell_at_once(List&& completions, std::uint32_t target, kept_value<V>... values) {
  const auto notify = [&](auto&& cx) {
    using each = without_cvref<decltype(cx)>;
    if constexpr (each::event == cx_event::operation) {
      // Each notification gets its own copy of the values.
      return [&](kept_value<V>... copies) {
        return notice<each, V...>::at_once(std::forward<decltype(cx)>(cx), target, copies...);
      }(values...);
    } else {
      return notice<each>::at_once(std::forward<decltype(cx)>(cx), target);
    }
  };
  return std::apply(
      [&](auto&&... cx) {
        return unwrap(std::tuple_cat(notify(std::forward<decltype(cx)>(cx))...));
      },
      std::forward<List>(completions).parts);
}

/// The part of a list that is notified later; empty for source completions: none is deferred.
template <bool IsSource, class Cx, class... V>
class later_part {
 public:
  explicit later_part(Cx& cx) : notice_(cx) {}
  auto promised(Cx&, std::uint32_t) { return notice_.promised(); }
  void tell_target(std::uint32_t target) {
    if constexpr (Cx::event == cx_event::remote) notice_.tell_target(target);
  }
  static constexpr bool to_persona = is_lpc<Cx> && Cx::event == cx_event::operation;
  static constexpr bool to_initiator = !is_lpc<Cx> && Cx::event == cx_event::operation;

  /// Gives the notifications that go to any persona; they need no user level of the initiator.
  template <bool Last>
  void tell_personas(kept_value<V>&... values) {
    if constexpr (to_persona) give_values<Last>(values...);
  }
  template <bool Last>
  void tell(kept_value<V>&... values) {
    if constexpr (to_initiator) give_values<Last>(values...);
    if constexpr (Cx::event == cx_event::late_source) notice_.tell();
  }
  template <class Take>
  void give_call(Take& take) {
    if constexpr (Cx::event == cx_event::remote) take(notice_.take_call());
  }

 private:
  // Each notification gets its own copy of the values, except the last one, which takes the
  // original, so that a single notification needs no copy.
  template <bool Last>
  void give_values(kept_value<V>&... values) {
    if constexpr (Last) {
      notice_.tell(values...);
    } else {
      [this](kept_value<V>... copies) { notice_.tell(copies...); }(values...);
    }
  }

  notice_of<Cx, V...> notice_;
};
template <class Cx, class... V>
class later_part<true, Cx, V...> {
 public:
  static constexpr bool to_persona = false;
  static constexpr bool to_initiator = false;

  explicit later_part(Cx&) {}
  auto promised(Cx& cx, std::uint32_t target) { return notice<Cx>::at_once(cx, target); }
  void tell_target(std::uint32_t) {}
  template <bool Last>
  void tell_personas(const kept_value<V>&...) {}
  template <bool Last>
  void tell(const kept_value<V>&...) {}
  template <class Take>
  void give_call(Take&) {}
};

template <class Cx, class... V>
using later = later_part<Cx::event == cx_event::source, Cx, V...>;

/// All notices of an operation that is under way.
template <class List, class... V>
class notices;
template <class... Cx, class... V>
class notices<completions<Cx...>, V...> {
 public:
  notices(completions<Cx...>& completions, std::uint32_t target)
      : target_(target),
        parts_(std::apply([](Cx&... cx) { return later_parts(later<Cx, V...>(cx)...); },
                          completions.parts)) {}

  /// Once, in the call that starts the operation: the futures that it returns.
  auto promised(completions<Cx...>& completions) {
    return with_indices<sizeof...(Cx)>([&](auto... i) {
      return unwrap(
          std::tuple_cat(std::get<i>(parts_).promised(std::get<i>(completions.parts), target_)...));
    });
  }
  /// The data is at the target. Any level of progress.
  void tell_target() {
    std::apply([this](auto&... part) { (part.tell_target(target_), ...); }, parts_);
  }
  /// The operation is complete: tells the personas that calls are sent to. Any level of progress.
  void tell_personas(kept_value<V>&... values) {
    with_indices<sizeof...(Cx)>([&](auto... i) {
      (std::get<i>(parts_).template tell_personas<(i == last)>(values...), ...);
    });
  }
  /// Tells all others, afterwards. User level.
  void tell(kept_value<V>&... values) {
    with_indices<sizeof...(Cx)>(
        [&](auto... i) { (std::get<i>(parts_).template tell<(i == last)>(values...), ...); });
  }
  /// Passes the calls to be made at the target to `take`, which has them made in another way.
  template <class Take>
  void give_calls(Take take) {
    std::apply([&](auto&... part) { (part.give_call(take), ...); }, parts_);
  }

 private:
  using later_parts = std::tuple<later<Cx, V...>...>;

  /// The notification of the operation's end that is given last, and so may have the values.
  static constexpr std::size_t last = [] {
    std::size_t index = 0;
    std::size_t persona = sizeof...(Cx);
    std::size_t initiator = sizeof...(Cx);
    ((later<Cx, V...>::to_persona ? persona = index : persona,
      later<Cx, V...>::to_initiator ? initiator = index : initiator, ++index),
     ...);
    return initiator < sizeof...(Cx) ? initiator : persona;
  }();

  std::uint32_t target_;
  later_parts parts_;
};

/// Checks that an operation has the events that it is asked for; others are refused when compiled.
template <class Cx, bool Source, bool Remote>
constexpr void check_completions() {
  static_assert(completion_list<Cx>,
                "completions: expected what source_cx, remote_cx and operation_cx return");
  using list = without_cvref<Cx>;
  static_assert(
      Source || !list::includes(cx_event::source),
      "completions: this operation has no source completion; request operation completion");
  static_assert(
      Remote || !list::includes(cx_event::remote),
      "completions: this operation has no remote completion; request operation completion");
  static_assert(
      list::includes(cx_event::operation) || (Remote && list::includes(cx_event::remote)),
      "completions: operation completion (or remote, where there is one) must be asked for");
}

}  // namespace atl::upcxx_front
