// SPDX-License-Identifier: BSD-3-Clause
//
// A field of a type that is not serializable.
// expect: UPCXX_SERIALIZED_FIELDS: each field must be Serializable
#include <upcxx/serialization.hpp>

struct resource {
  ~resource() {}
};

struct object {
  resource held;
  UPCXX_SERIALIZED_FIELDS(held)
};

auto use(const object& sent) {
  return upcxx::serialization_traits<object>::deserialized_value(sent);
}
