// SPDX-License-Identifier: BSD-3-Clause
//
// A class whose serialization was deleted.
// expect: deleted by UPCXX_SERIALIZED_DELETE
#include <upcxx/serialization.hpp>

struct object {
  UPCXX_SERIALIZED_DELETE()
};

auto use(const object& sent) {
  return upcxx::serialization_traits<object>::deserialized_value(sent);
}
