// SPDX-License-Identifier: BSD-3-Clause
//
// A module that does not fit the library is refused by name before anything of it is called.
#include <atoll/base/error.hpp>
#include <atoll/transport/transport_module.hpp>

#include <gtest/gtest.h>

#include <string>

namespace atl::transport {
namespace {

std::string refusal_of(std::string_view name) {
  try {
    load_module(name, MODULE_FOLDER);
  } catch (const error& refused) {
    return refused.what();
  }
  return "none";
}

TEST(module, of_other_headers_is_refused) {
  const std::string refusal = refusal_of("outdated");
  EXPECT_NE(refusal.find("libatoll_outdated.so was compiled with other headers"), std::string::npos)
      << refusal;
}

TEST(module, that_is_missing_is_named) {
  const std::string refusal = refusal_of("absent");
  EXPECT_NE(refusal.find("there is no libatoll_absent.so"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace atl::transport
