// SPDX-License-Identifier: BSD-3-Clause
//
// A base with virtual functions cannot be constructed anew.
// expect: B must not have virtual functions
#include <upcxx/serialization.hpp>

struct side {
  int number = 0;
  virtual void act() {}
  UPCXX_SERIALIZED_FIELDS(number)
};

struct object : side {
  UPCXX_SERIALIZED_FIELDS(UPCXX_SERIALIZED_BASE(side))
};

auto use(const object& sent) {
  return upcxx::serialization_traits<object>::deserialized_value(sent);
}
