// SPDX-License-Identifier: BSD-3-Clause
//
// Each parser with what it takes, what it refuses, and the ends of its range.
#include <atoll/base/parse.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using atl::leading_size_unit;
using atl::parse_amount;
using atl::parse_bytes;
using atl::parse_flag;
using atl::parse_number;
using atl::parse_size;

TEST(parse, words_are_compared_in_any_case) {
  EXPECT_TRUE(atl::same_word("GiB", "gIb"));
  EXPECT_TRUE(atl::same_word("", ""));
  EXPECT_FALSE(atl::same_word("on", "one"));
  EXPECT_FALSE(atl::same_word("@", "`")) << "only letters have cases";
}

TEST(parse, flags_are_yes_or_no) {
  for (const char* yes : {"1", "y", "Yes", "TRUE", "on"}) EXPECT_EQ(parse_flag(yes), true) << yes;
  for (const char* no : {"0", "N", "no", "False", "off"}) EXPECT_EQ(parse_flag(no), false) << no;
  for (const char* other : {"", "2", "yess", " 1", "nope"})
    EXPECT_FALSE(parse_flag(other)) << other;
}

TEST(parse, numbers_fit_their_type_and_fill_the_text) {
  EXPECT_EQ(parse_number("18446744073709551615"), ~std::uint64_t{0});
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<int>("-7"), -7);
  for (const char* text : {"", "+1", " 1", "1 ", "1x", "0x1", "-1", "18446744073709551616"})
    EXPECT_FALSE(parse_number(text)) << text;
  EXPECT_FALSE(parse_number<std::uint8_t>("256"));
}

TEST(parse, units_are_binary_multiples) {
  EXPECT_EQ(leading_size_unit("b").shift, 0u);
  EXPECT_EQ(leading_size_unit("KiB").shift, 10u);
  EXPECT_EQ(leading_size_unit("KiB").length, 3u);
  EXPECT_EQ(leading_size_unit("tb and more").length, 2u);
  EXPECT_EQ(leading_size_unit("ki").length, 1u) << "the i stands only before a B";
  EXPECT_EQ(leading_size_unit("bb").length, 1u);
  EXPECT_EQ(leading_size_unit("p").length, 0u);
  EXPECT_EQ(leading_size_unit("").length, 0u);
}

TEST(parse, whole_sizes_are_exact) {
  EXPECT_EQ(parse_bytes("0"), 0u);
  EXPECT_EQ(parse_bytes("64b"), 64u);
  EXPECT_EQ(parse_bytes("3K"), 3072u);
  EXPECT_EQ(parse_bytes("512MB"), std::uint64_t{512} << 20);
  EXPECT_EQ(parse_bytes("4gib"), std::uint64_t{4} << 30);
  EXPECT_EQ(parse_bytes("16777215T"), std::uint64_t{16777215} << 40);
  for (const char* text : {"", "K", "-1", "+1", " 1", "1 K", "1P", "1.5G", "1Gb1", "1GBB", "1BB",
                           "16777216T", "18446744073709551616"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

TEST(parse, amounts_may_have_fractions_blanks_and_no_unit) {
  EXPECT_EQ(parse_amount("1.5 GiB")->bytes(), 1.5 * 0x1p30);
  EXPECT_EQ(parse_amount("0.5k")->bytes(), 512);
  EXPECT_EQ(parse_amount("-2KB")->bytes(), -2048);
  EXPECT_EQ(parse_amount("1e3")->bytes(), 1000);
  EXPECT_FALSE(parse_amount("64")->shift);
  EXPECT_EQ(parse_amount("64")->bytes(0x1p20), 0x1p26);
  EXPECT_EQ(parse_amount("64b")->bytes(0x1p20), 64);
  for (const char* text : {"", "M", "much", " 1", "1PB", "1 GBs", "120%", "nan", "inf", "1e999"})
    EXPECT_FALSE(parse_amount(text)) << text;
}

TEST(parse, sizes_are_rounded_up_and_kept_to_their_bounds) {
  EXPECT_EQ(parse_size("1.5k"), 1536);
  EXPECT_EQ(parse_size("0.3k"), 308);
  EXPECT_EQ(parse_size("2", {.unit_bytes = 0x1p20}), 2 << 20);
  EXPECT_EQ(parse_size("-1k", {.least = -2000}), -1024);
  EXPECT_EQ(parse_size("1e30"), std::int64_t{1} << 62);
  EXPECT_FALSE(parse_size("-1"));
  EXPECT_FALSE(parse_size("0", {.least = 1}));
  EXPECT_FALSE(parse_size("5", {.most = 4}));
  EXPECT_FALSE(parse_size("much"));
}

}  // namespace
