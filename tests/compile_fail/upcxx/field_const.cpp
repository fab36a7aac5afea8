// SPDX-License-Identifier: BSD-3-Clause
//
// A const field cannot be overwritten.
// expect: a field cannot be const
#include <upcxx/serialization.hpp>

struct object {
  const double numbers[2] = {1, 2};
  UPCXX_SERIALIZED_FIELDS(numbers)
};

auto use(const object& sent) {
  return upcxx::serialization_traits<object>::deserialized_value(sent);
}
