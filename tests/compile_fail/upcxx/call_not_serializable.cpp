// SPDX-License-Identifier: BSD-3-Clause
//
// An argument of a type that is not serializable.
// expect: rpc: each argument must be Serializable
#include <upcxx/command.hpp>

struct resource {
  ~resource() {}
};

static_assert(atl::upcxx_front::check_call<void (*)(resource), resource>());
