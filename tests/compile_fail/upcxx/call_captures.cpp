// SPDX-License-Identifier: BSD-3-Clause
//
// A lambda with a capture that cannot be copied as bytes.
// expect: the function object must be Serializable
#include <upcxx/command.hpp>

void use(std::string text) {
  auto show = [text] { return text.size(); };
  static_assert(atl::upcxx_front::check_call<decltype(show)>());
}
