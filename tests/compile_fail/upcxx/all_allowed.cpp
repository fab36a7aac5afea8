// SPDX-License-Identifier: BSD-3-Clause
//
// The mistakes of the other programs, done right: this program compiles.
#include <upcxx/serialization.hpp>

struct side {
  int number;
  UPCXX_SERIALIZED_FIELDS(number)
};

struct object : side {
  int own[2];
  UPCXX_SERIALIZED_FIELDS(own, UPCXX_SERIALIZED_BASE(side))
};

auto use(const object& sent) {
  return upcxx::serialization_traits<object>::deserialized_value(sent);
}
