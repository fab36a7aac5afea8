// SPDX-License-Identifier: BSD-3-Clause
//
// Limits that keep large objects from being passed by value by accident. Functions that take or
// return objects by value do not compile for a static type above these sizes; the message names the
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

/// Whether an argument, deduced from `Passed&&`, is an lvalue, or of a type with that property. The
/// specification demands one of the two for objects that a call takes over.
template <template <class> class Property, class Passed>
inline constexpr bool lvalue_or =
    std::is_lvalue_reference_v<Passed> || Property<std::decay_t<Passed>>::value;

}  // namespace atl::upcxx_front
