// SPDX-License-Identifier: BSD-3-Clause
//
// Reading an array whose elements are not serializable.
// expect: read_into<T>(memory): T must be Serializable
#include <upcxx/serialization.hpp>

struct resource {
  ~resource() {}
};

void use(atl::upcxx_front::reader& from, void* memory) { from.read_into<resource[2]>(memory); }
