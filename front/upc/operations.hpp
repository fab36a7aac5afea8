// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of upc_types.h as functions of two elements (UPC required library specification
// 1.3, 7.4.3). The caller's code is compiled once for each of them, so that a loop over elements
// calls no functions except the user's own.
#pragma once

#include <upc_collective.h>

#include <atoll/base/text.hpp>
#include <front/upc/process_state.hpp>

#include <type_traits>

namespace atl::upc {

template <class T>
using user_function = T (*)(T, T);

/// Integer sums and products wrap, without the overflow of signed types.
template <class T, class Operation>
T wrapping(T a, T b, Operation operation) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return operation(a, b);
  } else {
    using wide = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(operation(static_cast<wide>(a), static_cast<wide>(b)));
  }
}

[[noreturn]] inline void refuse_operation(const char* call, upc_op_t op) {
  refuse(call, text("there is no operation ", op, " on this type"),
         "use one operation of upc_types.h, no bitwise one on floating types, or a function");
}

/// Calls use(f) with the operation as a function of two elements.
template <class T, class Use>
void with_bitwise(const char* call, upc_op_t op, Use use) {
  if constexpr (std::is_floating_point_v<T>) {
    refuse_operation(call, op);
  } else {
    switch (op) {
      case UPC_AND:
        return use([](T a, T b) { return static_cast<T>(a & b); });
      case UPC_OR:
        return use([](T a, T b) { return static_cast<T>(a | b); });
      case UPC_XOR:
        return use([](T a, T b) { return static_cast<T>(a ^ b); });
      default:
        refuse_operation(call, op);
    }
  }
}

template <class T, class Use>
void with_operation(const char* call, upc_op_t op, user_function<T> function, Use use) {
  switch (op) {
    case UPC_ADD:
      return use([](T a, T b) { return wrapping(a, b, [](auto x, auto y) { return x + y; }); });
    case UPC_MULT:
      return use([](T a, T b) { return wrapping(a, b, [](auto x, auto y) { return x * y; }); });
    case UPC_LOGAND:
      return use([](T a, T b) { return static_cast<T>(a != T{} && b != T{}); });
    case UPC_LOGOR:
      return use([](T a, T b) { return static_cast<T>(a != T{} || b != T{}); });
    case UPC_MIN:
      return use([](T a, T b) { return a < b ? a : b; });
    case UPC_MAX:
      return use([](T a, T b) { return a > b ? a : b; });
    case UPC_FUNC:
    case UPC_NONCOMM_FUNC:
      if (function == nullptr) {
        refuse(call, "the function is null", "give a function of two elements");
      }
      return use(function);
    default:
      return with_bitwise<T>(call, op, use);
  }
}

}  // namespace atl::upc
