// SPDX-License-Identifier: BSD-3-Clause
//
// Writing what does not travel.
// expect: write: the object must be Serializable
#include <upcxx/serialization.hpp>

struct resource {
  ~resource() {}
};

void use(atl::upcxx_front::writer& to) { to.write(resource()); }
