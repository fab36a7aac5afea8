// SPDX-License-Identifier: BSD-3-Clause
//
// A module that does not fit the library is refused by name before anything of it is called.
#include <atoll/bootstrap/launcher_module.hpp>

#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace atl::bootstrap {
namespace {

std::string refusal_of(const std::string& file) {
  try {
    load_module(std::string(MODULE_FOLDER) + "/" + file, "a launcher of PMIx; ", "install it");
  } catch (const error& refused) {
    return refused.what();
  }
  return "none";
}

TEST(bootstrap_module, of_other_headers_is_refused) {
  const std::string refusal = refusal_of("libatoll_outdated_bootstrap.so");
  EXPECT_NE(refusal.find("libatoll_outdated_bootstrap.so was compiled with other headers"),
            std::string::npos)
      << refusal;
}

TEST(bootstrap_module, that_is_missing_is_named) {
  const std::string refusal = refusal_of("libatoll_absent.so");
  EXPECT_NE(refusal.find("there is no "), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("a launcher of PMIx"), std::string::npos) << refusal;
}

}  // namespace
}  // namespace atl::bootstrap
