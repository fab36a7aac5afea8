// SPDX-License-Identifier: BSD-3-Clause
//
// Writing a sequence whose elements are not serializable.
// expect: the value_type of the iterators must be Serializable
#include <upcxx/serialization.hpp>

struct resource {
  ~resource() {}
};

void use(atl::upcxx_front::writer& to, const resource* first) {
  to.write_sequence(first, first + 1);
}
