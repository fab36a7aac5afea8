// SPDX-License-Identifier: BSD-3-Clause
//
// A program knows where it lies, however it was started, and where its libraries lie.
#include <atoll/base/system/code_folder.hpp>

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>
#include <filesystem>

namespace atl {
namespace {

namespace fs = std::filesystem;

TEST(code_folder, of_the_program_is_absolute_in_any_folder) {
  static const int object = 0;
  const fs::path expected = fs::canonical("/proc/self/exe").parent_path();
  EXPECT_EQ(folder_of_code(&object), expected);
  const fs::path original = fs::current_path();
  fs::current_path("/");
  EXPECT_EQ(folder_of_code(&object), expected);
  fs::current_path(original);
}

TEST(code_folder, of_a_library_holds_it) {
  const fs::path folder = folder_of_code(reinterpret_cast<const void*>(&::qsort));
  EXPECT_TRUE(folder.is_absolute());
  EXPECT_TRUE(fs::is_directory(folder));
}

TEST(code_folder, of_no_code_is_empty) {
  int local = 0;
  EXPECT_EQ(folder_of_code(&local), "");
}

}  // namespace
}  // namespace atl
