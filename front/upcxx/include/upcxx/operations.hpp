// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of reductions (spec: 12.2.1): op_fast_add and its relatives for arithmetic types,
// and op_add and its relatives, which older programs use, for every type that has the operator.
// Beside functions of a program's own, these objects are what a reduction takes.
//
// Their types have the names that the reference implementation gives them, since some programs
// instantiate templates of their own for them: op_fast_add is a
// upcxx::detail::op_wrap<upcxx::detail::opfn_add, true>.
#pragma once

#include <type_traits>
#include <utility>

namespace upcxx::detail {

// The functions of the operations. The sum of two bools is "or" and their product is "and".
struct opfn_add {
  static constexpr bool integral_only = false;
  template <class T, class U>
  constexpr T operator()(T a, U&& b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a || b;
    else if constexpr (std::is_arithmetic_v<T>)
      return static_cast<T>(a + b);
    else
      a += std::forward<U>(b);
    return a;
  }
};
struct opfn_mul {
  static constexpr bool integral_only = false;
  template <class T, class U>
  constexpr T operator()(T a, U&& b) const {
    if constexpr (std::is_same_v<T, bool>)
      return a && b;
    else if constexpr (std::is_arithmetic_v<T>)
      return static_cast<T>(a * b);
    else
      a *= std::forward<U>(b);
    return a;
  }
};
struct opfn_bit_and {
  static constexpr bool integral_only = true;
  template <class T, class U>
  constexpr T operator()(T a, U&& b) const {
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<T>(a & b);
    else
      a &= std::forward<U>(b);
    return a;
  }
};
struct opfn_bit_or {
  static constexpr bool integral_only = true;
  template <class T, class U>
  constexpr T operator()(T a, U&& b) const {
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<T>(a | b);
    else
      a |= std::forward<U>(b);
    return a;
  }
};
struct opfn_bit_xor {
  static constexpr bool integral_only = true;
  template <class T, class U>
  constexpr T operator()(T a, U&& b) const {
    if constexpr (std::is_arithmetic_v<T>)
      return static_cast<T>(a ^ b);
    else
      a ^= std::forward<U>(b);
    return a;
  }
};
template <bool Min>
struct opfn_min_not_max {
  static constexpr bool integral_only = false;
  template <class T>
  constexpr T operator()(T a, T b) const {
    return (Min ? b < a : a < b) ? std::move(b) : std::move(a);
  }
};

/// An operation. It is for all types that have the operator; a fast one is for arithmetic types
/// only, and for integral types only where it is an operation on bits.
template <class Function, bool Fast>
struct op_wrap : Function {};
template <class Function>
struct op_wrap<Function, true> : Function {
  template <class T, class = std::enable_if_t<std::is_integral_v<T> || (std::is_arithmetic_v<T> &&
                                                                        !Function::integral_only)>>
  constexpr T operator()(T a, T b) const noexcept {
    return Function::operator()(a, b);
  }
};

}  // namespace upcxx::detail

namespace upcxx {

inline constexpr detail::op_wrap<detail::opfn_add, true> op_fast_add{};
inline constexpr detail::op_wrap<detail::opfn_mul, true> op_fast_mul{};
inline constexpr detail::op_wrap<detail::opfn_min_not_max<true>, true> op_fast_min{};
inline constexpr detail::op_wrap<detail::opfn_min_not_max<false>, true> op_fast_max{};
inline constexpr detail::op_wrap<detail::opfn_bit_and, true> op_fast_bit_and{};
inline constexpr detail::op_wrap<detail::opfn_bit_or, true> op_fast_bit_or{};
inline constexpr detail::op_wrap<detail::opfn_bit_xor, true> op_fast_bit_xor{};

inline constexpr detail::op_wrap<detail::opfn_add, false> op_add{};
inline constexpr detail::op_wrap<detail::opfn_mul, false> op_mul{};
inline constexpr detail::op_wrap<detail::opfn_min_not_max<true>, false> op_min{};
inline constexpr detail::op_wrap<detail::opfn_min_not_max<false>, false> op_max{};
inline constexpr detail::op_wrap<detail::opfn_bit_and, false> op_bit_and{};
inline constexpr detail::op_wrap<detail::opfn_bit_or, false> op_bit_or{};
inline constexpr detail::op_wrap<detail::opfn_bit_xor, false> op_bit_xor{};

namespace experimental {
using upcxx::op_add;
using upcxx::op_bit_and;
using upcxx::op_bit_or;
using upcxx::op_bit_xor;
using upcxx::op_max;
using upcxx::op_min;
using upcxx::op_mul;
}  // namespace experimental

}  // namespace upcxx
