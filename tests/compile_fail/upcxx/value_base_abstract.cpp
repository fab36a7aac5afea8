// SPDX-License-Identifier: BSD-3-Clause
//
// An abstract base cannot be passed to a constructor.
// expect: B must not be abstract
#include <upcxx/serialization.hpp>

struct side {
  int number = 0;
  virtual void act() = 0;
  UPCXX_SERIALIZED_VALUES(number)
};

struct object : side {
  void act() override {}
  UPCXX_SERIALIZED_VALUES(UPCXX_SERIALIZED_BASE(side))
};

auto use(const object& sent) {
  return upcxx::serialization_traits<object>::deserialized_value(sent);
}
