// SPDX-License-Identifier: BSD-3-Clause
//
// Remote procedure calls. rpc_ff sends a function and its arguments to a rank, where the holder of
// the master persona runs it at user-level progress; rpc also brings back what it returns.
// Arguments are serialized before the call returns, so the source is free at once. Deserialized
// arguments live until the function has returned and, if it returned a future, until that future is
// ready. Spec: chapter 9.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/completion.hpp>
#include <upcxx/mail.hpp>
#include <upcxx/team.hpp>

#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// The type as which a value is sent back: for a reference its referent; const stays (6.4).
template <class T>
using sent_as = std::conditional_t<std::is_reference_v<T>, without_cvref<T>, T>;

/// The values that a call of this result sends back.
template <class Result>
struct returned {
  using type = std::conditional_t<std::is_void_v<Result>, type_list<>, type_list<sent_as<Result>>>;
};
template <class... T>
struct returned<upcxx::future<T...>> {
  using type = type_list<sent_as<T>...>;
};

template <class T>
inline constexpr bool may_return =
    std::is_void_v<T> || (serializable<without_cvref<T>> && !is_view<without_cvref<T>>);
template <class... T>
inline constexpr bool may_return<upcxx::future<T...>> = (may_return<T> && ... && true);

// --- at the target -----------------------------------------------------------------------------

/// Sends values back to the caller.
template <class... T>
void send_values(const arrived_message& call, const T&... values) {
  std::size_t bound = 0;
  ((bound = end_of(values, bound)), ...);
  write_and_send(
      call.source, message_use::result, call.answer_to, bound,
      [&](writer& to) { (to.write(values), ...); }, [] {});
}

/// The same for the values of a ready future.
template <class... T>
void send_result(const arrived_message& call, const upcxx::future<T...>& ready) {
  std::apply([&](const kept_value<T>&... value) { send_values(call, show<T>(value)...); },
             future_access::values(ready));
}

/// Calls, and sends the result, which is no future and so need not be kept.
template <bool Answers, class Call>
void call_and_answer(Call& call, const arrived_message& message) {
  if constexpr (!Answers) {
    static_cast<void>(call());
  } else if constexpr (std::is_void_v<typename Call::result>) {
    call();
    send_values(message);
  } else {
    send_values(message, call());
  }
}

/// A call whose result, or whose arguments, are not there yet.
template <class Call, bool Answers>
struct running_call {
  explicit running_call(reader& from, arrived_message& arrived) : message(arrived), call(from) {}

  /// Calls when all that is sent by name is here; until then, asks again at each progress.
  void start() {
    if (!call.is_ready()) return defer_work(make_work([this] { start(); }));
    auto result = future_from([this]() -> decltype(auto) { return call(); });
    if (result.ready()) return finish(result);
    result.then([this, result](const auto&...) { finish(result); });
  }
  template <class Future>
  void finish(const Future& result) {
    if constexpr (Answers) send_result(message, result);
    end_message(message);
    end_in_block(this);
  }

  arrived_message& message;
  Call call;
};

/// Keeps call and message until the result is there; the call begins at `begin` of the message.
template <class Call, bool Answers>
void run_kept(arrived_message& message, std::size_t begin) {
  arrived_message& kept_message = keep_message(message);
  reader from(kept_message.payload);
  from.skip_to(begin);
  make_in_block<running_call<Call, Answers>>(from, kept_message)->start();
}

template <class Call, bool Answers>
void run_arrived(reader& body, void* context) {
  auto& message = *static_cast<arrived_message*>(context);
  using result = typename Call::result;
  const std::size_t begin = body.position();
  if constexpr (!is_future<without_cvref<result>>) {
    {
      Call call(body);
      if (call.is_ready()) {
        call_and_answer<Answers>(call, message);
        return end_message(message);
      }
    }
  }
  run_kept<Call, Answers>(message, begin);
}

// --- at the caller -----------------------------------------------------------------------------

/// Calls ready() when neither serialization nor a lack of memory can throw any more.
template <bool Answers, class Ready, class Func, class... Args>
void send_call(std::uint32_t target, std::uint64_t token, Ready ready, const Func& func,
               const Args&... args) {
  using call = bound_call_of<Func, Args...>;
  const std::decay_t<Func>& function = func;
  const std::size_t bound = call::end_bound(command_head_bytes, function, args...);
  const auto write = [&](writer& to) {
    write_entry(to, &run_arrived<call, Answers>);
    call::write(to, function, args...);
  };
  write_and_send(target, message_use::call, token, bound, write, ready);
}

template <class Func, class... Args>
void send_completion_rpc(std::uint32_t target, const kept_value<Func>& func,
                         const kept_values<Args...>& args) {
  static_assert(check_call<Func, Args...>());
  std::apply(
      [&](const kept_value<Args>&... each) {
        send_call<false>(target, 0, [] {}, show<Func>(func), show<Args>(each)...);
      },
      args);
}

template <class Func, class... Args>
waiting_call_ptr keep_completion_rpc(const kept_value<Func>& func,
                                     const kept_values<Args...>& args) {
  static_assert(check_call<Func, Args...>());
  using call = bound_call_of<Func, Args...>;
  waiting_call_ptr made(new waiting_call());
  write_entry(made->command, &run_arrived<call, false>);
  std::apply(
      [&](const kept_value<Args>&... each) {
        call::write(made->command, show<Func>(func), show<Args>(each)...);
      },
      args);
  return made;
}

/// The type as which the caller sees a value of type T.
template <class T>
using seen_by_caller = arrival_of<T>;

template <class List, class Sent>
class rpc_record;

template <class Cx>
inline constexpr bool told_by_lpc = std::is_same_v<Cx, copied_cx>;
template <class Func>
inline constexpr bool told_by_lpc<lpc_cx<cx_event::operation, Func>> = true;

/// The persona that is notified of the result: the caller's, or that of the as_lpc where nothing
/// else is asked for, since the caller's thread may have ended by then.
template <class... Cx>
upcxx::persona* result_home([[maybe_unused]] const completions<Cx...>& completions) noexcept {
  upcxx::persona* home = &upcxx::current_persona();
  if constexpr ((told_by_lpc<Cx> && ...)) {
    const auto look = [&home](const auto& cx) {
      if constexpr (is_lpc<without_cvref<decltype(cx)>>) home = cx.to;
    };
    std::apply([&](const Cx&... cx) { (look(cx), ...); }, completions.parts);
  }
  return home;
}

/// Reads the values T... into a tuple that is not constructed yet, each where it is to stay. An
/// object without members may share its address with another; then the tuple itself is constructed.
template <class... T>
void read_values(reader& from, std::tuple<seen_by_caller<T>...>& into) {
  if constexpr ((std::is_empty_v<seen_by_caller<T>> || ... || false)) {
    atl::construct(&into, std::tuple<seen_by_caller<T>...>{from.read_value<T>()...});
  } else {
    const auto place = [](const auto& element) {
      return const_cast<void*>(static_cast<const void*>(&element));
    };
    std::apply([&](auto&... each) { (from.read_into<T>(place(each)), ...); }, into);
  }
}

/// The caller's record of a call: the notices, until the result comes.
template <class List, class... T>
class rpc_record<List, type_list<T...>> final : public awaited_result {
 public:
  rpc_record(List& completions, std::uint32_t target) : notices_(completions, target) {
    back = result_home(completions);
    deliver = [](awaited_result& self, [[maybe_unused]] reader& from) {
      auto& me = static_cast<rpc_record&>(self);
      std::tuple<seen_by_caller<T>...> values{from.template read_value<T>()...};
      std::apply(
          [&](seen_by_caller<T>&... value) {
            me.notices_.tell_personas(value...);
            me.notices_.tell(value...);
          },
          values);
      end_in_block(&me);
    };
  }
  auto promised(List& completions) { return notices_.promised(completions); }
  template <class Take>
  void give_calls(Take take) {
    notices_.give_calls(std::move(take));
  }

 private:
  notices<List, seen_by_caller<T>...> notices_;
};

/// The same where all that is asked for is a future: the record is its cell.
template <class... T>
class rpc_cell final : public value_cell<seen_by_caller<T>...>, public awaited_result {
 public:
  rpc_cell() {
    this->end = [](cell& self) noexcept { end_in_block(static_cast<rpc_cell*>(&self)); };
    this->refs = 2;  // the future's, and that of the result under way
    back = &upcxx::current_persona();
    deliver = [](awaited_result& self, [[maybe_unused]] reader& from) {
      auto& me = static_cast<rpc_cell&>(self);
      read_values<T...>(from, me.values);
      me.filled = true;
      fulfil(me, 1);
      release(&me);
    };
  }
};

template <class Cx>
inline constexpr bool asks_for_a_future_only = false;
template <bool Eager>
inline constexpr bool
    asks_for_a_future_only<completions<copied_cx, future_cx<cx_event::operation, Eager>>> = true;
template <bool Eager>
inline constexpr bool asks_for_a_future_only<completions<future_cx<cx_event::operation, Eager>>> =
    true;

template <class... T, class Func, class... Args>
auto rpc_for_a_future(type_list<T...>, std::uint32_t target, const Func& func,
                      const Args&... args) {
  auto* const made = make_in_block<rpc_cell<T...>>();
  auto result = future_access::adopt<seen_by_caller<T>...>(made);
  awaited_result* const awaited = made;
  try {
    send_call<true>(target, reinterpret_cast<std::uint64_t>(awaited), [] {}, func, args...);
  } catch (...) {
    release(made);  // for the result, which will not come
    throw;
  }
  return result;
}

template <class Record, class List, class Func, class... Args>
auto rpc_telling(std::uint32_t target, List completions, const Func& func, const Args&... args) {
  auto* const made = make_in_block<Record>(completions, target);
  awaited_result* const awaited = made;
  const auto token = reinterpret_cast<std::uint64_t>(awaited);
  using futures = decltype(made->promised(completions));
  // If the call cannot be sent, no notification is given.
  try {
    if constexpr (std::is_void_v<futures>) {
      send_call<true>(target, token, [&] { made->promised(completions); }, func, args...);
    } else {
      std::optional<futures> given;
      send_call<true>(
          target, token, [&] { given.emplace(made->promised(completions)); }, func, args...);
      return *std::move(given);
    }
  } catch (...) {
    end_in_block(made);
    throw;
  }
}

template <class Cx, class Func, class... Args>
auto rpc_to(std::uint32_t target, Cx&& completions, Func&& func, Args&&... args) {
  check_completions<Cx, true, false>();
  static_assert(check_call<Func, Args...>());
  using list = without_cvref<Cx>;
  using result = typename bound_call_of<Func, Args...>::result;
  static_assert(may_return<result>,
                "rpc: what the function returns must be Serializable, and not a view; return a "
                "future for what is not ready yet");
  using sent = typename returned<
      std::conditional_t<is_future<without_cvref<result>>, without_cvref<result>, result>>::type;
  need_job("upcxx::rpc");
  if constexpr (asks_for_a_future_only<list>) {
    return rpc_for_a_future(sent(), target, func, args...);
  } else {
    return rpc_telling<rpc_record<list, sent>>(target, list(std::forward<Cx>(completions)), func,
                                               args...);
  }
}

using rpc_default_cx = decltype(upcxx::source_cx::as_buffered() | upcxx::operation_cx::as_future());

template <class Cx, class Func, class... Args>
auto rpc_ff_to(std::uint32_t target, Cx&& completions, Func&& func, Args&&... args) {
  static_assert(
      !without_cvref<Cx>::includes(cx_event::operation) &&
          !without_cvref<Cx>::includes(cx_event::remote),
      "rpc_ff: only source completion can be requested; use rpc for operation completion");
  static_assert(check_call<Func, Args...>());
  need_job("upcxx::rpc_ff");
  send_call<false>(target, 0, [] {}, func, args...);
  return tell_at_once<>(std::forward<Cx>(completions), target);
}

inline std::uint32_t world_rank(const upcxx::team& team, upcxx::intrank_t member) noexcept {
  return static_cast<std::uint32_t>(team[member]);
}

/// The first argument after the recipient is a completion object or the function.
template <class Cx>
using if_completions = std::enable_if_t<completion_list<Cx>>;
template <class Func>
using if_function = std::enable_if_t<!completion_list<Func>>;

}  // namespace atl::upcxx_front

namespace upcxx {

/// Runs func(args...) at a rank, at user-level progress of the thread that holds its master
/// persona; nothing comes back. `recipient` is a rank of the world, or a member of the team.
///
/// Function and arguments are serialized before the call returns, so they are free at once; teams
/// and distributed objects travel by name and arrive as the target's own, when it has them. At the
/// target all are rvalues, and live until func has returned or the future it returned is ready. An
/// exception that leaves func ends the program. Throws bad_shared_alloc when the arguments are too
/// large for a message and no shared memory is left for them; then no notification is given and
/// nothing runs. Source completion only. Any thread; also in the restricted context. Spec: 9.
template <class Func, class... Args, class = atl::upcxx_front::if_function<Func>>
void rpc_ff(intrank_t recipient, Func&& func, Args&&... args) {
  atl::upcxx_front::rpc_ff_to(static_cast<std::uint32_t>(recipient), source_cx::as_buffered(),
                              std::forward<Func>(func), std::forward<Args>(args)...);
}
/// The same, with notifications of source completion.
template <class Cx, class Func, class... Args, class = atl::upcxx_front::if_completions<Cx>>
auto rpc_ff(intrank_t recipient, Cx&& completions, Func&& func, Args&&... args) {
  return atl::upcxx_front::rpc_ff_to(static_cast<std::uint32_t>(recipient),
                                     std::forward<Cx>(completions), std::forward<Func>(func),
                                     std::forward<Args>(args)...);
}
/// The same to a member of a team.
template <class... Rest>
auto rpc_ff(const team& team, intrank_t recipient, Rest&&... arguments) {
  return rpc_ff(static_cast<intrank_t>(atl::upcxx_front::world_rank(team, recipient)),
                std::forward<Rest>(arguments)...);
}

/// The same, and brings back what func returns, as a future of it: future<> for void, the values of
/// a future that it returns once that is ready. They are serialized at the target; a reference
/// comes back as a value, and a view cannot come back. Operation completion when they are here, at
/// user-level progress of the persona that called.
template <class Func, class... Args, class = atl::upcxx_front::if_function<Func>>
[[nodiscard]] auto rpc(intrank_t recipient, Func&& func, Args&&... args) {
  return atl::upcxx_front::rpc_to(static_cast<std::uint32_t>(recipient),
                                  atl::upcxx_front::rpc_default_cx(), std::forward<Func>(func),
                                  std::forward<Args>(args)...);
}
/// The same, with notifications of source and operation completion.
template <class Cx, class Func, class... Args, class = atl::upcxx_front::if_completions<Cx>>
[[nodiscard]] auto rpc(intrank_t recipient, Cx&& completions, Func&& func, Args&&... args) {
  return atl::upcxx_front::rpc_to(static_cast<std::uint32_t>(recipient),
                                  std::forward<Cx>(completions), std::forward<Func>(func),
                                  std::forward<Args>(args)...);
}
/// The same to a member of a team.
template <class... Rest>
[[nodiscard]] auto rpc(const team& team, intrank_t recipient, Rest&&... arguments) {
  return rpc(static_cast<intrank_t>(atl::upcxx_front::world_rank(team, recipient)),
             std::forward<Rest>(arguments)...);
}

}  // namespace upcxx

namespace atl::upcxx_front {

/// Teams travel by name, and wait at the target until it has made its own.
template <>
struct call_argument<upcxx::team> {
  static constexpr bool allowed = true;
  static constexpr bool by_name = true;
  using held = upcxx::team_id;

  static void write(writer& to, const upcxx::team& object) { to.write(object.id()); }
  static std::size_t end_bound(const upcxx::team&, std::size_t from) noexcept {
    return static_end<upcxx::team_id>(from);
  }
  static void read(reader& from, slot<held>& place) {
    place.holds(from.read_into<held>(place.memory()));
  }
  static bool is_present(const held& id) { return id.when_here().ready(); }
  static upcxx::team& pass(held& id) noexcept { return id.here(); }
};

}  // namespace atl::upcxx_front
