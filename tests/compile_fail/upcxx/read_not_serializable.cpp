// SPDX-License-Identifier: BSD-3-Clause
//
// Reading an object of a type that is not serializable.
// expect: read<T>(): T must be Serializable
#include <upcxx/serialization.hpp>

struct resource {
  ~resource() {}
};

void use(atl::upcxx_front::reader& from) { from.read<resource>(); }
