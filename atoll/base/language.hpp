// SPDX-License-Identifier: BSD-3-Clause
//
// Stands in for a few things of C++20 in the headers that programs in C++17 include. These are
// written in C++17, in all programs alike: a file of C++17 and one of C++20 may be parts of one
// program, so both must see the same types and the same functions. All other code uses the
// standard library.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

// Before `thread_local` or a type: the variable is initialized when compiling, so that other files
// access it without a call. `constinit` of C++20, by the compilers' names for it in C++17.
#if defined(__clang__)
#define ATOLL_CONSTINIT __attribute__((require_constant_initialization))
#else
#define ATOLL_CONSTINIT __constinit
#endif

namespace atl {

template <class T>
using without_cvref = std::remove_cv_t<std::remove_reference_t<T>>;

/// A type as a value, to be passed and returned.
template <class T>
struct type_tag {
  using type = T;
};

/// A parameter of this type is not used to deduce T.
template <class T>
using not_deduced = typename type_tag<T>::type;

template <class Void, template <class...> class Expression, class... T>
struct expression_compiles : std::false_type {};
template <template <class...> class Expression, class... T>
struct expression_compiles<std::void_t<Expression<T...>>, Expression, T...> : std::true_type {};

/// Whether Expression<T...>, the type of an expression as an alias, is valid for these types.
template <template <class...> class Expression, class... T>
inline constexpr bool compiles = expression_compiles<void, Expression, T...>::value;

/// Calls `use` with Count indices, which are constants: with_indices<2>([&](auto... i) {
/// return std::make_tuple(std::get<i>(from)...); }).
template <class Use, std::size_t... Index>
constexpr decltype(auto) with_each_index(Use&& use, std::index_sequence<Index...>) {
  return std::forward<Use>(use)(std::integral_constant<std::size_t, Index>()...);
}
template <std::size_t Count, class Use>
constexpr decltype(auto) with_indices(Use&& use) {
  return with_each_index(std::forward<Use>(use), std::make_index_sequence<Count>());
}

/// Constructs a T at `place`, by parentheses, whatever operator new it has.
template <class T, class... Arguments>
T* construct(T* place, Arguments&&... arguments) {
  return ::new (const_cast<void*>(static_cast<const volatile void*>(place)))
      T(std::forward<Arguments>(arguments)...);
}

/// The same bits as another type of the same size.
template <class To, class From>
constexpr To bits_as(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
                std::is_trivially_copyable_v<From>);
  return __builtin_bit_cast(To, from);
}

}  // namespace atl
