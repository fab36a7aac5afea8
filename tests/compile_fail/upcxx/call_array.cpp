// SPDX-License-Identifier: BSD-3-Clause
//
// An array as an argument of a call.
// expect: rpc: an array cannot be an argument
#include <upcxx/command.hpp>

static_assert(atl::upcxx_front::check_call<void (*)(int*), int (&)[3]>());
