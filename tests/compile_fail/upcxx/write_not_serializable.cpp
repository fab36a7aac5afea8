// SPDX-License-Identifier: BSD-3-Clause
//
// Writing an object of a type that is not serializable.
// expect: write: the object must be Serializable
#include <upcxx/serialization.hpp>

struct resource {
  ~resource() {}
};

void use(atl::upcxx_front::writer& to) { to.write(resource()); }
