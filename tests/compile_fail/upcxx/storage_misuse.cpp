// SPDX-License-Identifier: BSD-3-Clause
//
// Uses of shared storage that the specification forbids.
// expect: upcxx::new_: arrays are made by upcxx::new_array
// expect: upcxx::new_: the type cannot be constructed from these arguments
// expect: upcxx::new_array: name the type of the elements
// expect: upcxx::new_array: the elements need a constructor without arguments
// expect: upcxx::delete_: the type has no usable destructor
// expect: upcxx::delete_array: the type has no usable destructor
#include <upcxx/allocate.hpp>

struct of_one {
  explicit of_one(int);
};
struct forever {
  forever() = default;
  ~forever() = delete;
};

void use(upcxx::global_ptr<forever> object) {
  static_cast<void>(upcxx::new_<int[5]>());
  static_cast<void>(upcxx::new_<of_one>("one"));
  static_cast<void>(upcxx::new_array<int[5]>(2));
  static_cast<void>(upcxx::new_array<of_one>(2));
  upcxx::delete_(object);
  upcxx::delete_array(object);
}
