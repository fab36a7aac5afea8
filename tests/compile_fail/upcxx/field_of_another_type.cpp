// SPDX-License-Identifier: BSD-3-Clause
//
// A field that would arrive as another type.
// expect: each field must arrive as the type that it has
#include <upcxx/serialization.hpp>

#include <functional>

struct object {
  int number = 0;
  std::reference_wrapper<int> other = number;
  UPCXX_SERIALIZED_FIELDS(number, other)
};

auto use(const object& sent) {
  return upcxx::serialization_traits<object>::deserialized_value(sent);
}
