// SPDX-License-Identifier: BSD-3-Clause
//
// Counting edits, and the name that was meant.
#include <atoll/base/nearest.hpp>

#include <gtest/gtest.h>

namespace {

using atl::edit_distance;
using atl::nearest;

TEST(edit_distance, counts_inserts_deletes_replacements_and_swaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abcd"), 1u);
  EXPECT_EQ(edit_distance("abc", "ac"), 1u);
  EXPECT_EQ(edit_distance("abc", "abd"), 1u);
  EXPECT_EQ(edit_distance("abc", "acb"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(edit_distance, looks_at_the_beginnings_of_very_long_names) {
  EXPECT_EQ(edit_distance(std::string(5000, 'a'), std::string(5001, 'a')), 0u);
}

TEST(nearest, finds_the_word_that_was_meant) {
  const std::vector<std::string> known{"run", "info", "--version"};
  EXPECT_EQ(nearest("rum", known), "run");
  EXPECT_EQ(nearest("nifo", known), "info");
  EXPECT_EQ(nearest("--versoin", known), "--version");
  EXPECT_EQ(nearest("xyzzy", known), "");
  EXPECT_EQ(nearest("", known), "");
}

}  // namespace
