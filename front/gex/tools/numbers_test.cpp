// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers are read as far as they go, keep within 64 bits, and say how many characters they took.
#include <front/gex/tools/numbers.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using atl::gex::memory_text;
using atl::gex::parse_integer;
using atl::gex::parse_memory;
using atl::gex::parse_real;
using atl::gex::parse_yes_no;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

TEST(numbers, yes_and_no_have_many_names_and_nothing_else_has) {
  for (const char* word : {"1", "y", "Y", "yes", "YES"}) EXPECT_EQ(parse_yes_no(word), true);
  for (const char* word : {"0", "n", "N", "no", "NO"}) EXPECT_EQ(parse_yes_no(word), false);
  for (const char* word : {"", "2", "yess", "on", " 1"}) EXPECT_FALSE(parse_yes_no(word)) << word;
}

TEST(numbers, integers_stop_at_what_is_no_digit) {
  EXPECT_EQ(parse_integer(" -42x").value, -42);
  EXPECT_EQ(parse_integer(" -42x").length, 4u);
  EXPECT_EQ(parse_integer("+7").value, 7);
  EXPECT_EQ(parse_integer("0xFf").value, 255);
  EXPECT_EQ(parse_integer("0xg").length, 1u);
  EXPECT_EQ(parse_integer("x").length, 0u);
  EXPECT_EQ(parse_integer("-").length, 0u);
  EXPECT_EQ(parse_integer("").length, 0u);
}

TEST(numbers, integers_beyond_64_bits_become_the_nearest) {
  EXPECT_EQ(parse_integer("9223372036854775807").value, largest);
  EXPECT_EQ(parse_integer("-9223372036854775808").value, smallest);
  EXPECT_EQ(parse_integer("99999999999999999999999").value, largest);
  EXPECT_EQ(parse_integer("-99999999999999999999999").value, smallest);
  EXPECT_EQ(parse_integer("-0").value, 0);
}

TEST(numbers, memory_has_units_fractions_and_a_default_unit) {
  EXPECT_EQ(parse_memory("3", 1024).value, 3072);
  EXPECT_EQ(parse_memory("3B", 1024).value, 3);
  EXPECT_EQ(parse_memory("1 KB", 1).value, 1024);
  EXPECT_EQ(parse_memory("2m", 1).value, 2 << 20);
  EXPECT_EQ(parse_memory("2GiB", 1).value, std::int64_t{2} << 30);
  EXPECT_EQ(parse_memory("0.5TB", 1).value, std::int64_t{1} << 39);
  EXPECT_EQ(parse_memory(".", 1).length, 0u);
  EXPECT_EQ(parse_memory("1.5PB", 1).length, 3u);
  EXPECT_EQ(parse_memory("-2KB", 1).value, -2048);
  EXPECT_EQ(parse_memory("99999999999TB", 1).value, largest);
  EXPECT_EQ(parse_memory("99999999999.5TB", 1).value, largest);
}

TEST(numbers, reals_may_be_fractions) {
  EXPECT_EQ(parse_real("3/8").value, 0.375);
  EXPECT_EQ(parse_real("3/8").length, 3u);
  EXPECT_EQ(parse_real("-1e4").value, -1e4);
  EXPECT_EQ(parse_real("3/x").length, 1u);
  EXPECT_EQ(parse_real("x").length, 0u);
}

TEST(numbers, memory_prints_in_the_largest_unit_that_divides) {
  EXPECT_EQ(memory_text(0), "0 B");
  EXPECT_EQ(memory_text(1023), "1023 B");
  EXPECT_EQ(memory_text(3 << 20), "3 MB");
  EXPECT_EQ(memory_text((3 << 20) + 1024), "3073 KB");
  EXPECT_EQ(memory_text(std::int64_t{1} << 61), "2097152 TB");
}

}  // namespace
