// SPDX-License-Identifier: BSD-3-Clause
//
// A value of a type that is not serializable.
// expect: UPCXX_SERIALIZED_VALUES: each value must be Serializable
#include <upcxx/serialization.hpp>

struct resource {
  ~resource() {}
};

struct object {
  resource held;
  UPCXX_SERIALIZED_VALUES(held)
};

auto use(const object& sent) {
  return upcxx::serialization_traits<object>::deserialized_value(sent);
}
