// SPDX-License-Identifier: BSD-3-Clause
//
// Objects with a large static type are not passed by value by accident: functions that take or
// return objects by value refuse those above these sizes when they are compiled, and name the
// function that does not copy. A program may raise either limit before it includes UPC++.
#pragma once

#include <type_traits>

/// Values that are put, got, read, or taken out of a future.
#ifndef UPCXX_MAX_VALUE_SIZE
#define UPCXX_MAX_VALUE_SIZE 512
#endif

/// Arguments of remote procedure calls.
#ifndef UPCXX_MAX_RPC_ARG_SIZE
#define UPCXX_MAX_RPC_ARG_SIZE 512
#endif

namespace atl::upcxx_front {

/// Whether an argument, deduced from `Passed&&`, is an lvalue, or of a type with that property:
/// what the specification demands of objects that it takes over.
template <template <class> class Property, class Passed>
inline constexpr bool lvalue_or =
    std::is_lvalue_reference_v<Passed> || Property<std::decay_t<Passed>>::value;

}  // namespace atl::upcxx_front
