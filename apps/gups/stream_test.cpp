// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the parts of gups that need no job: the sequence, its jumps, its division, the command
// line.
#include <apps/gups/options.hpp>
#include <apps/gups/stream.hpp>
#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gups {
namespace {

TEST(stream, jumps_to_where_steps_lead) {
  word by_steps = 1;
  for (std::uint64_t n = 0; n < 3000; ++n, by_steps = next(by_steps))
    ASSERT_EQ(element(n), by_steps) << n;
}

TEST(stream, jumps_far_as_the_product_of_shorter_jumps) {
  for (const std::uint64_t n : {1ULL << 20, 12345678901ULL, 1ULL << 44}) {
    EXPECT_EQ(element(n + 77), product(element(n), element(77)));
    EXPECT_EQ(element(n + 1), next(element(n)));
  }
}

TEST(stream, leaves_the_bits_that_fall_out_at_the_other_end) {
  EXPECT_EQ(element(63), word{1} << 63);
  EXPECT_EQ(element(64), polynomial);
  EXPECT_EQ(element(126), (word{1} << 62) * polynomial ^ polynomial);  // one bit has fallen out
}

TEST(parts, cover_everything_once) {
  for (const std::uint64_t count : {0ULL, 1ULL, 10ULL, 4096ULL, 4099ULL}) {
    for (const std::uint64_t ranks : {1ULL, 2ULL, 3ULL, 7ULL, 64ULL}) {
      std::uint64_t next_first = 0;
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        const part share = part_of(count, rank, ranks);
        ASSERT_EQ(share.first, next_first);
        EXPECT_LE(share.count(), (count + ranks - 1) / ranks);
        next_first = share.last;
      }
      EXPECT_EQ(next_first, count);
    }
  }
}

// The exit code of parsing these words, or -1 where the program goes on.
int parsed(std::vector<std::string> words, options& into) {
  words.insert(words.begin(), "gups");
  std::vector<char*> argv;
  for (std::string& each : words) argv.push_back(each.data());
  int exit_code = -1;
  parse(static_cast<int>(argv.size()), argv.data(), false, into, exit_code);
  return exit_code;
}

TEST(options, follow_the_rules_by_default) {
  options chosen;
  EXPECT_EQ(parsed({"-m", "20"}, chosen), -1);
  EXPECT_EQ(chosen.update_count(), 4ULL << 20);
  EXPECT_EQ(chosen.lookahead, 1024U);
  EXPECT_TRUE(chosen.runs("am"));
}

TEST(options, against_the_rules_or_unknown_are_refused) {
  options chosen;
  EXPECT_EQ(parsed({"--look-ahead", "1025"}, chosen), 2);
  EXPECT_EQ(parsed({"--look-ahead", "1"}, chosen), 2);
  EXPECT_EQ(parsed({"-m", "41"}, chosen), 2);
  EXPECT_EQ(parsed({"--updates", "0"}, chosen), 2);
  EXPECT_EQ(parsed({"--variant", "telepathy"}, chosen), 2);
  EXPECT_EQ(parsed({"--help"}, chosen), 0);
}

TEST(options, that_need_more_memory_than_there_is_are_refused) {
  options chosen;
  chosen.log2_size = 30;
  EXPECT_THROW(check_memory(chosen, std::uint64_t{8} << 29U), atl::error);
  EXPECT_NO_THROW(check_memory(chosen, std::uint64_t{8} << 30U));
}

}  // namespace
}  // namespace gups
