// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of kv that need no job: keys and values, medians of rounds, parts of a range, words of
// a text, and what the command line accepts.
#include <apps/kv/keys.hpp>
#include <apps/kv/options.hpp>
#include <apps/kv/report.hpp>
#include <apps/kv/words.hpp>
#include <atoll/base/error.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace kv {
namespace {

TEST(keys, of_different_numbers_differ) {
  const key_stream stream(7, 8);
  std::set<generated_key> seen;
  for (key_number n = 0; n < 20000; ++n) seen.insert(stream.key(n));
  EXPECT_EQ(seen.size(), 20000U);
  EXPECT_NE(key_stream(8, 8).key(5), stream.key(5));
}

TEST(values, have_their_length_and_belong_to_their_key) {
  for (const std::size_t bytes : {0, 1, 7, 8, 9, 100}) {
    const key_stream stream(1, bytes);
    EXPECT_EQ(stream.value(3).size(), bytes);
    EXPECT_EQ(stream.value(3), stream.value(3));
    if (bytes > 0) {
      EXPECT_NE(stream.value(3), stream.value(4));
    }
  }
}

TEST(rounds, have_a_median_for_each_step_and_are_right_when_all_are) {
  std::vector<outcome> rounds{{.insert_s = 3, .settle_s = 7, .find_s = 1, .right = true},
                              {.insert_s = 1, .settle_s = 9, .find_s = 3, .right = true},
                              {.insert_s = 2, .settle_s = 8, .find_s = 2, .right = true}};
  const outcome result = median_of(rounds);
  EXPECT_EQ(result.insert_s, 2);
  EXPECT_EQ(result.settle_s, 8);
  EXPECT_EQ(result.find_s, 2);
  EXPECT_TRUE(result.right);
  rounds[1].right = false;
  EXPECT_FALSE(median_of(rounds).right);
}

TEST(parts, cover_a_range_once) {
  for (const std::uint64_t parts : {1, 2, 3, 8}) {
    for (const key_number count : {0, 1, 2, 7, 1000}) {
      key_number next = 10;
      for (std::uint64_t part = 0; part < parts; ++part) {
        const key_range range = part_of({10, 10 + count}, part, parts);
        EXPECT_EQ(range.first, next);
        EXPECT_LE(range.last - range.first, count / parts + 1);
        next = range.last;
      }
      EXPECT_EQ(next, 10 + count);
    }
  }
}

TEST(tally, tells_right_wrong_and_absent_apart) {
  const key_stream stream(1, 8);
  tally seen;
  seen.count(stream, 5, stream.value(5));
  seen.count(stream, 5, stream.value(6));
  seen.count(stream, 5, std::nullopt);
  EXPECT_EQ(seen.found, 1U);
  EXPECT_EQ(seen.wrong, 1U);
  EXPECT_EQ(seen.absent, 1U);
}

std::vector<std::string> words_in_parts(const std::string& text, std::size_t parts) {
  std::vector<std::string> words;
  for (std::size_t part = 0; part < parts; ++part) {
    const key_range range = part_of({0, text.size()}, part, parts);
    each_word(text, range.first, range.last, [&](std::string word) { words.push_back(word); });
  }
  return words;
}

TEST(words, are_lower_case_and_whole) {
  const std::vector<std::string> expected{"it", "s", "na\xc3\xafve", "in", "2023"};
  EXPECT_EQ(words_in_parts("It's na\xc3\xafve, in 2023!", 1), expected);
}

TEST(words, are_found_once_wherever_the_text_is_cut) {
  for (const std::string text : {"a bb ccc dddd", "word", "", " ,. ", "x y z and a longlongword"}) {
    for (std::size_t parts = 1; parts < 12; ++parts) {
      EXPECT_EQ(words_in_parts(text, parts), words_in_parts(text, 1)) << text << ", " << parts;
    }
  }
}

TEST(words, of_a_file_that_is_not_there_are_refused) {
  EXPECT_THROW(read_file("/nowhere/book.txt"), atl::error);
  EXPECT_THROW(read_file("/"), atl::error);
}

// The exit code of parsing these words, or -1 where the program goes on.
int parsed(std::vector<std::string> words, options& into) {
  words.insert(words.begin(), "kv");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int exit_code = -1;
  parse(static_cast<int>(argv.size()), argv.data(), false, into, exit_code);
  return exit_code;
}

TEST(options, are_read_from_the_command_line) {
  options chosen;
  EXPECT_EQ(parsed({"-k", "1000", "--value-bytes", "64", "--mode", "batches", "-w", "3", "-b", "9",
                    "--seed", "5", "-q"},
                   chosen),
            -1);
  EXPECT_EQ(chosen.keys, 1000U);
  EXPECT_EQ(chosen.value_bytes, 64U);
  EXPECT_EQ(chosen.window, 3U);
  EXPECT_EQ(chosen.batch, 9U);
  EXPECT_TRUE(chosen.runs(way::batches));
  EXPECT_FALSE(chosen.runs(way::one_sided));
  EXPECT_TRUE(chosen.quiet);
}

TEST(options, out_of_range_are_refused_and_help_is_not_a_mistake) {
  options chosen;
  EXPECT_EQ(parsed({"--keys", "0"}, chosen), 2);
  EXPECT_EQ(parsed({"--window", "0"}, chosen), 2);
  EXPECT_EQ(parsed({"--batch", "0"}, chosen), 2);
  EXPECT_EQ(parsed({"--mode", "magic"}, chosen), 2);
  EXPECT_EQ(parsed({"--value-bytes", "many"}, chosen), 2);
  EXPECT_EQ(parsed({"stray"}, chosen), 2);
  EXPECT_EQ(parsed({"--help"}, chosen), 0);
}

TEST(memory, that_is_not_there_is_refused_with_the_numbers) {
  options chosen;
  chosen.keys = key_number{1} << 32;
  EXPECT_NO_THROW(check_memory(chosen, memory_needed(chosen)));
  try {
    check_memory(chosen, 1 << 20);
    FAIL();
  } catch (const atl::error& refused) {
    EXPECT_NE(std::string(refused.what()).find("4294967296 keys"), std::string::npos);
    EXPECT_NE(std::string(refused.what()).find("fewer keys"), std::string::npos);
  }
}

TEST(rounds, the_median_of_an_even_number_is_the_mean_of_the_middle_two) {
  const outcome found = median_of({{.insert_s = 4, .find_s = 3},
                                   {.insert_s = 1, .find_s = 9},
                                   {.insert_s = 2, .find_s = 5},
                                   {.insert_s = 9, .find_s = 1}});
  EXPECT_EQ(found.insert_s, 3);
  EXPECT_EQ(found.find_s, 4);
}

}  // namespace
}  // namespace kv
