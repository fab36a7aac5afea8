// SPDX-License-Identifier: BSD-3-Clause
//
// An argument that does not travel.
// expect: rpc: each argument must be Serializable
#include <upcxx/command.hpp>

struct resource {
  ~resource() {}
};

static_assert(atl::upcxx_front::check_call<void (*)(resource), resource>());
