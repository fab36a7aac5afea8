// SPDX-License-Identifier: BSD-3-Clause
//
// Calls move from arguments that are rvalues, and make objects at the target: both need types that
// can be moved. Distributed objects and teams are passed by reference.
// clang-format off
// expect: rpc: a function object or argument that is passed as an rvalue must be movable
// expect: rpc: the function object and each argument must be movable as what they are deserialized to
// expect: rpc: a distributed object or team is passed by reference
// expect: as_rpc: a function object or argument that is passed as an rvalue is kept
// clang-format on
#include <upcxx/dist_object.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/rput.hpp>

struct fixed {
  int x = 0;
  fixed() = default;
  fixed(const fixed&) = delete;
  void operator()() {}
  UPCXX_SERIALIZED_FIELDS(x)
};
struct movable {
  int x = 0;
  movable() = default;
  movable(movable&&) = default;
  UPCXX_SERIALIZED_FIELDS(x)
};

void call(upcxx::global_ptr<int> target) {
  fixed lvalue;
  upcxx::rpc_ff(0, fixed());
  upcxx::rpc_ff(0, [](const fixed&) {}, lvalue);
  upcxx::rpc_ff(0, [](upcxx::dist_object<int>&) {}, upcxx::dist_object<int>(1));
  upcxx::rput(0, target, upcxx::remote_cx::as_rpc([](const movable&) {}, movable()));
}
