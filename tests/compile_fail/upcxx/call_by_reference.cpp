// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments arrive as rvalues.
// expect: the function cannot be called with these arguments
#include <upcxx/command.hpp>

static_assert(atl::upcxx_front::check_call<void (*)(int&), int&>());
