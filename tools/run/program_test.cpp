// SPDX-License-Identifier: BSD-3-Clause
//
// Tests finding a program and cutting words. Messages to the user are tested with the whole
// launcher.
#include <tools/run/program.hpp>

#include <gtest/gtest.h>

namespace atl::tools {
namespace {

using words = std::vector<std::string>;

TEST(program, words_are_cut_as_a_shell_cuts_them) {
  EXPECT_EQ(split_words(""), words{});
  EXPECT_EQ(split_words("  gdb \t--args  "), (words{"gdb", "--args"}));
  EXPECT_EQ(split_words("a 'b c' \"d 'e\" f\\ g"), (words{"a", "b c", "d 'e", "f g"}));
  EXPECT_EQ(split_words("'' x\"\"y ''"), (words{"", "xy", ""}));
  EXPECT_EQ(split_words("'a\\b' \"a\\\"b\" \\"), (words{"a\\b", "a\"b", "\\"}));
}

TEST(program, an_open_quote_is_refused) {
  EXPECT_THROW(split_words("a 'b"), launch_refusal);
  EXPECT_THROW(split_words("\""), launch_refusal);
}

TEST(program, is_searched_along_the_path) {
  EXPECT_EQ(find_program("sh", "/nowhere:/bin"), "/bin/sh");
  EXPECT_EQ(find_program("/bin/sh", ""), "/bin/sh");
  EXPECT_THROW(find_program("sh", "/nowhere"), launch_refusal);
  EXPECT_THROW(find_program("", "/bin"), launch_refusal);
  EXPECT_THROW(find_program("/bin", ""), launch_refusal);
}

}  // namespace
}  // namespace atl::tools
