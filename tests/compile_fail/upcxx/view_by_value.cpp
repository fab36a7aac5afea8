// SPDX-License-Identifier: BSD-3-Clause
//
// A view outside a message would point nowhere.
// expect: T must not be a view
#include <upcxx/serialization.hpp>

auto use(const upcxx::view<int>& sent) {
  return upcxx::serialization_traits<upcxx::view<int>>::deserialized_value(sent);
}
