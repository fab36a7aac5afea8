// SPDX-License-Identifier: BSD-3-Clause
//
// A call as bytes, for rpc and its relatives. A message is a command: the token of an entry, which
// is a function of this program that knows the rest, and then what that entry reads - mostly a
// bound call: a function object and its arguments, as they are serialized. A function pointer
// travels as a token; an object without state not at all.
//
// Lifetimes: a bound_call is read in place, never moved, and owns everything that was deserialized;
// views among its arguments point into the message. So call and message must both live until the
// call's result is there: until it returned, or, when it returns a future, until that is ready. The
// function and its arguments are passed as rvalues, once.
#pragma once

#include <atoll/base/language.hpp>
#include <upcxx/by_value.hpp>
#include <upcxx/code.hpp>
#include <upcxx/serialization.hpp>
#include <upcxx/size_bound.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace atl::upcxx_front {

/// An argument that travels by its value.
template <class T, bool Serializable = serializable<T>>
struct value_argument {
  static constexpr bool allowed = false;
};

template <class T>
struct value_argument<T, true> {
  static constexpr bool allowed = true;
  using held = std::remove_const_t<arrival_of<T>>;

  static void write(writer& to, const T& object) { to.write(object); }
  static std::size_t end_bound(const T& object, std::size_t from) noexcept {
    return end_of(object, from);
  }
  static void read(reader& from, slot<held>& place) {
    place.holds(from.read_into<T>(place.memory()));
  }
  static held&& pass(held& object) noexcept { return std::move(object); }
};

/// How an argument of type T (no reference, no const) travels and is passed. Other headers
/// specialize it for what is sent by name, as teams and distributed objects are. A specialization
/// may have `static bool is_present(const held&)`: the call waits until it says true.
template <class T>
struct call_argument : value_argument<T> {};

/// Arguments that travel by name say so by `by_name`: they are the target's own, and not made
/// there.
template <class T>
using name_of_argument = std::enable_if_t<call_argument<T>::by_name>;
template <class T>
inline constexpr bool sent_by_name = compiles<name_of_argument, T>;

/// How much of the target's stack an argument takes. Of what is sent by name only the name lies
/// there, whatever the size of the object. T has neither reference nor const.
template <class T>
constexpr std::size_t bytes_on_target_stack() noexcept {
  if constexpr (sent_by_name<T>) {
    return sizeof(typename call_argument<T>::held);
  } else {
    return sizeof(T);
  }
}

/// How the function travels: as an argument does, except functions themselves and objects that are
/// all alike.
template <class Function, class = void>
struct call_function : call_argument<Function> {};

template <class Result, class... Arguments>
struct call_function<Result (*)(Arguments...)> {
  using held = Result (*)(Arguments...);
  static constexpr bool allowed = true;

  static void write(writer& to, held function) { to.write(token_of(function)); }
  static std::size_t end_bound(held, std::size_t from) noexcept {
    return static_end<code_token>(from);
  }
  static void read(reader& from, slot<held>& place) {
    const auto address = address_of(from.read<code_token>());
    place.holds(::new (place.memory()) held(reinterpret_cast<held>(address)));
  }
  static held pass(held& function) noexcept { return function; }
};

template <class Result, class... Arguments>
struct call_function<Result (*)(Arguments...) noexcept> : call_function<Result (*)(Arguments...)> {
};

/// A pointer to a member function, as its words in memory and by what they mean.
using member_pointer_words = std::array<std::uint64_t, 2>;
struct member_pointer {
  bool is_virtual = false;
  std::uint64_t function = 0;    // its address, or its offset in the table of virtual functions
  std::uint64_t adjustment = 0;  // to be added to the object's address
};

/// In the Itanium ABI the two words are the function and the adjustment, and the lowest bit of the
/// first says whether the function is virtual. On ARM that bit of an address has another meaning,
/// so the second is twice the adjustment, and its lowest bit says whether the function is virtual.
template <bool TellsInAdjustment>
struct member_pointer_layout {
  static constexpr member_pointer parts_of(const member_pointer_words& words) noexcept {
    if constexpr (TellsInAdjustment) {
      const bool is_virtual = (words[1] & 1) != 0;
      const auto adjustment = static_cast<std::int64_t>(words[1]) >> 1;  // may be negative
      return {is_virtual, words[0], static_cast<std::uint64_t>(adjustment)};
    } else {
      const bool is_virtual = (words[0] & 1) != 0;
      return {is_virtual, words[0] - (is_virtual ? 1 : 0), words[1]};
    }
  }
  static constexpr member_pointer_words words_of(const member_pointer& parts) noexcept {
    const std::uint64_t mark = parts.is_virtual ? 1 : 0;
    if constexpr (TellsInAdjustment) return {parts.function, parts.adjustment * 2 + mark};
    return {parts.function + mark, parts.adjustment};
  }
};

#if defined(__aarch64__) || defined(__arm__)
using own_member_pointer_layout = member_pointer_layout<true>;
#else
using own_member_pointer_layout = member_pointer_layout<false>;
#endif

/// Pointers to member functions; the first argument is the object. They travel in the layout of
/// ARM, since a token, which takes the place of an address, may be odd.
template <class Function>
struct call_function<Function, std::enable_if_t<std::is_member_function_pointer_v<Function>>> {
  using held = Function;
  static constexpr bool allowed = true;
  using words = member_pointer_words;
  using travelling = member_pointer_layout<true>;
  static_assert(sizeof(Function) == sizeof(words));

  static void write(writer& to, held function) {
    words own;
    std::memcpy(own.data(), &function, sizeof own);
    member_pointer parts = own_member_pointer_layout::parts_of(own);
    if (!parts.is_virtual) parts.function = token_of(static_cast<std::uintptr_t>(parts.function));
    to.write(travelling::words_of(parts));
  }
  static std::size_t end_bound(held, std::size_t from) noexcept { return static_end<words>(from); }
  static void read(reader& from, slot<held>& place) {
    member_pointer parts = travelling::parts_of(from.read<words>());
    if (!parts.is_virtual) parts.function = address_of(parts.function);
    const words own = own_member_pointer_layout::words_of(parts);
    held function;
    std::memcpy(&function, own.data(), sizeof function);
    place.holds(::new (place.memory()) held(function));
  }
  static held pass(held& function) noexcept { return function; }
};

template <class Function>
struct call_function<Function,
                     std::enable_if_t<std::is_empty_v<Function> && byte_serializable<Function>>> {
  using held = Function;
  static constexpr bool allowed = true;

  static void write(writer&, const Function&) noexcept {}
  static std::size_t end_bound(const Function&, std::size_t from) noexcept { return from; }
  static void read(reader&, slot<held>& place) noexcept {
    place.holds(std::launder(static_cast<held*>(place.memory())));
  }
  static held&& pass(held& function) noexcept { return std::move(function); }
};

template <class Binding>
using passed_by = decltype(Binding::pass(std::declval<typename Binding::held&>()));

template <class Void, class Function, class... Arguments>
struct traits_of_call {
  static constexpr bool is_invocable = false;
  using result = void;
};

template <class Function, class... Arguments>
struct traits_of_call<std::void_t<std::invoke_result_t<passed_by<call_function<Function>>,
                                                       passed_by<call_argument<Arguments>>...>>,
                      Function, Arguments...> {
  static constexpr bool is_invocable = true;
  using result = std::invoke_result_t<passed_by<call_function<Function>>,
                                      passed_by<call_argument<Arguments>>...>;
};

/// Whether all parts can travel, whether the function takes them when they have, and what it gives.
template <class Function, class... Arguments>
struct call_traits : traits_of_call<void, Function, Arguments...> {};

/// Whether something that is sent by name exists in this process.
template <class Argument>
using answer_of_presence = decltype(call_argument<Argument>::is_present(
    std::declval<const typename call_argument<Argument>::held&>()));

/// A function object and its arguments. Function and Arguments are decayed types.
template <class Function, class... Arguments>
class bound_call {
  using function_binding = call_function<Function>;

 public:
  using result = typename call_traits<Function, Arguments...>::result;

  static void write(writer& to, const Function& function, const Arguments&... arguments) {
    function_binding::write(to, function);
    (call_argument<Arguments>::write(to, arguments), ...);
  }

  /// A bound of where the call ends in a message when it begins at `from`; or `unbounded`.
  static std::size_t end_bound(std::size_t from, const Function& function,
                               const Arguments&... arguments) noexcept {
    std::size_t end = function_binding::end_bound(function, from);
    ((end = call_argument<Arguments>::end_bound(arguments, end)), ...);
    return end;
  }

  explicit bound_call(reader& from) {
    function_binding::read(from, function_);
    read_all(from, std::index_sequence_for<Arguments...>{});
  }
  bound_call(const bound_call&) = delete;
  bound_call& operator=(const bound_call&) = delete;

  /// Whether everything that is sent by name exists in this process.
  bool is_ready() const {
    return std::apply([](const auto&... places) { return (is_present<Arguments>(places) && ...); },
                      arguments_);
  }

  /// Calls the function. May be called once, since the arguments may be moved from.
  result operator()() {
    return std::apply(
        [this](auto&... places) -> result {
          return std::invoke(function_binding::pass(function_.object()),
                             call_argument<Arguments>::pass(places.object())...);
        },
        arguments_);
  }

 private:
  template <std::size_t... I>
  void read_all(reader& from, std::index_sequence<I...>) {
    (call_argument<Arguments>::read(from, std::get<I>(arguments_)), ...);
  }

  template <class Argument, class Place>
  static bool is_present(const Place& place) {
    if constexpr (compiles<answer_of_presence, Argument>)
      return call_argument<Argument>::is_present(place.object());
    else
      return true;
  }

  slot<typename function_binding::held> function_;
  std::tuple<slot<typename call_argument<Arguments>::held>...> arguments_;
};

template <class Function, class... Arguments>
using bound_call_of = bound_call<std::decay_t<Function>, without_cvref<Arguments>...>;

/// Whether all that arrives can be moved; types that cannot even travel are refused elsewhere.
template <class Binding>
constexpr bool arrives_movable() {
  if constexpr (Binding::allowed)
    return std::is_move_constructible_v<typename Binding::held>;
  else
    return true;
}

/// Says in words what the specification forbids of a call; `Function` and `Arguments` as passed.
template <class Function, class... Arguments>
constexpr bool check_call() {
  static_assert(!(std::is_array_v<std::remove_reference_t<Arguments>> || ...),
                "rpc: an array cannot be an argument; pass a std::array, or a view of it by "
                "upcxx::make_view");
  static_assert(
      ((std::is_array_v<std::remove_reference_t<Arguments>> ||
        bytes_on_target_stack<without_cvref<Arguments>>() <= UPCXX_MAX_RPC_ARG_SIZE) &&
       ...),
      "rpc: an argument has a large static type, which the target would have on its stack: pass a "
      "view of its elements, or of the object by upcxx::make_view(&object, &object + 1), or define "
      "a larger UPCXX_MAX_RPC_ARG_SIZE before the first header of UPC++");
  static_assert(call_function<std::decay_t<Function>>::allowed,
                "rpc: the function object must be Serializable; what a lambda captures must be "
                "trivially copyable, and everything else be passed as an argument");
  constexpr bool travel = (call_argument<without_cvref<Arguments>>::allowed && ...);
  static_assert(travel, "rpc: each argument must be Serializable");
  static_assert(
      ((std::is_lvalue_reference_v<Arguments> || !sent_by_name<without_cvref<Arguments>>) && ...),
      "rpc: a distributed object or team is passed by reference: give an lvalue, whose counterpart "
      "at the target the function gets");
  static_assert(
      (lvalue_or<std::is_move_constructible, Function> && ... &&
       lvalue_or<std::is_move_constructible, Arguments>),
      "rpc: a function object or argument that is passed as an rvalue must be movable; pass "
      "an lvalue");
  static_assert((arrives_movable<call_function<std::decay_t<Function>>>() && ... &&
                 arrives_movable<call_argument<without_cvref<Arguments>>>()),
                "rpc: the function object and each argument must be movable as what they are "
                "deserialized to");
  if constexpr (travel && call_function<std::decay_t<Function>>::allowed)
    static_assert(call_traits<std::decay_t<Function>, without_cvref<Arguments>...>::is_invocable,
                  "rpc: the function cannot be called with these arguments; they arrive as "
                  "rvalues, so it cannot take them by non-const reference");
  return true;
}

/// Handles the body of a message, which follows the token. `context` is whatever the layer that
/// received it passes.
using command_entry = void (*)(reader& body, void* context);

/// How many bytes the token in front of a command takes.
inline constexpr std::size_t command_head_bytes = sizeof(code_token);

inline void write_entry(writer& to, command_entry entry) { to.write(token_of(entry)); }

/// Ends the job: what an rpc sent cannot be read.
[[noreturn, gnu::cold]] void refuse_arguments(const char* reason) noexcept;

/// Runs a command. A message that cannot be read is a bug of this program and ends the job. Throws
/// unknown_code where it names a function that is not here.
inline void run_command(reader& message, void* context) {
  try {
    const auto entry = reinterpret_cast<command_entry>(address_of(message.read<code_token>()));
    entry(message, context);
  } catch (const bad_read& refused) {
    refuse_arguments(refused.what());
  }
}

}  // namespace atl::upcxx_front
