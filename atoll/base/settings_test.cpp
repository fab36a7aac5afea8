// SPDX-License-Identifier: BSD-3-Clause
//
// Settings read from made-up environments: syntax of each kind, ranges, refusals that name the
// variable and the remedy, and warnings for names that do not exist. This program has no layer
// above base, so it registers rows of its own, one of each kind and some more.
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace {

using atl::setting_kind;
using atl::setting_row;
using atl::settings;

namespace setting {

constexpr setting_row verbose{.name = "ATOLL_VERBOSE",
                              .kind = setting_kind::number,
                              .default_value = "1",
                              .max = 3,
                              .help = "messages"};
constexpr setting_row threads{.name = "ATOLL_THREADS",
                              .kind = setting_kind::choice,
                              .default_value = "any",
                              .choices = "single,funnelled,any",
                              .help = "which threads may communicate"};
constexpr setting_row rma_path{.name = "ATOLL_RMA_PATH",
                               .kind = setting_kind::choice,
                               .default_value = "direct",
                               .choices = "direct,am",
                               .help = "puts and gets"};
constexpr setting_row counters{
    .name = "ATOLL_COUNTERS", .kind = setting_kind::flag, .default_value = "0", .help = "count"};
constexpr setting_row segment_limit{.name = "ATOLL_SEGMENT_LIMIT",
                                    .kind = setting_kind::bytes,
                                    .default_value = "0",
                                    .max = std::uint64_t{1} << 46,
                                    .help = "most bytes"};
constexpr setting_row ring_cells{.name = "ATOLL_RING_CELLS",
                                 .kind = setting_kind::number,
                                 .default_value = "512",
                                 .min = 64,
                                 .max = 65536,
                                 .unit = "cells",
                                 .help = "cells of a ring",
                                 .power_of_two = true};
constexpr setting_row size{.name = "ATOLL_SIZE",
                           .kind = setting_kind::number,
                           .default_value = "",
                           .min = 1,
                           .help = "ranks",
                           .set_by_launcher = true};
constexpr setting_row job{.name = "ATOLL_JOB",
                          .kind = setting_kind::text,
                          .default_value = "",
                          .help = "how to reach the launcher",
                          .set_by_launcher = true};

ATOLL_REGISTER_SETTINGS some_rows[] = {&verbose, &threads, &rma_path, &counters};
ATOLL_REGISTER_SETTINGS other_rows[] = {&segment_limit, &ring_cells, &size, &job, &verbose};

constexpr setting_row forgotten{.name = "ATOLL_FORGOTTEN",
                                .kind = setting_kind::flag,
                                .default_value = "0",
                                .help = "in no list"};

}  // namespace setting

settings read(std::initializer_list<const char*> entries) {
  std::vector<const char*> list(entries);
  list.push_back(nullptr);
  return settings::read(list.data());
}

std::string refusal(const char* entry) {
  try {
    read({entry});
  } catch (const atl::error& refused) {
    return refused.what();
  }
  return "accepted";
}

TEST(settings, an_empty_environment_gives_the_defaults) {
  const auto values = read({});
  EXPECT_EQ(values.number(setting::verbose), 1u);
  EXPECT_EQ(values.text(setting::threads), "any");
  EXPECT_EQ(values.choice(setting::threads), 2u);
  EXPECT_FALSE(values.flag(setting::counters));
  EXPECT_EQ(values.choice(setting::rma_path), 0u);
  EXPECT_EQ(values.number(setting::ring_cells), 512u);
  EXPECT_EQ(values.number(setting::segment_limit), 0u);
  EXPECT_TRUE(values.text(setting::size).empty());
  EXPECT_TRUE(values.text(setting::job).empty());
  EXPECT_EQ(values.source(setting::verbose), atl::setting_source::built_in);
  EXPECT_TRUE(values.warnings().empty());
}

TEST(settings, a_null_environment_is_an_empty_one) {
  EXPECT_EQ(settings::read(nullptr).number(setting::verbose), 1u);
}

TEST(settings, the_rows_of_all_lists_are_known_once_and_by_name) {
  const auto rows = atl::all_settings();
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &setting_row::name));
  EXPECT_EQ(std::ranges::count(rows, "ATOLL_VERBOSE", &setting_row::name), 1);
}

TEST(settings_death_test, a_row_that_no_list_has_ends_the_program_with_its_name) {
  const auto values = read({});
  EXPECT_DEATH(values.flag(setting::forgotten), "no layer has registered.*ATOLL_FORGOTTEN");
}

TEST(settings, flags_know_the_usual_words_in_any_case) {
  for (const char* yes :
       {"ATOLL_COUNTERS=1", "ATOLL_COUNTERS=yes", "ATOLL_COUNTERS=True", "ATOLL_COUNTERS=ON"})
    EXPECT_TRUE(read({yes}).flag(setting::counters)) << yes;
  for (const char* no :
       {"ATOLL_COUNTERS=0", "ATOLL_COUNTERS=no", "ATOLL_COUNTERS=false", "ATOLL_COUNTERS=Off"})
    EXPECT_FALSE(read({no}).flag(setting::counters)) << no;
  EXPECT_NE(refusal("ATOLL_COUNTERS=2").find("yes or no"), std::string::npos);
}

TEST(settings, bytes_take_binary_suffixes) {
  auto bytes = [](const char* entry) { return read({entry}).number(setting::segment_limit); };
  EXPECT_EQ(bytes("ATOLL_SEGMENT_LIMIT=4096"), 4096u);
  EXPECT_EQ(bytes("ATOLL_SEGMENT_LIMIT=64b"), 64u);
  EXPECT_EQ(bytes("ATOLL_SEGMENT_LIMIT=3K"), 3072u);
  EXPECT_EQ(bytes("ATOLL_SEGMENT_LIMIT=512MB"), std::uint64_t{512} << 20);
  EXPECT_EQ(bytes("ATOLL_SEGMENT_LIMIT=4GiB"), std::uint64_t{4} << 30);
  EXPECT_EQ(bytes("ATOLL_SEGMENT_LIMIT=2t"), std::uint64_t{2} << 40);
}

TEST(settings, bytes_refuse_overflow_signs_blanks_and_other_suffixes) {
  for (const char* entry :
       {"ATOLL_SEGMENT_LIMIT=99999999999T", "ATOLL_SEGMENT_LIMIT=-1", "ATOLL_SEGMENT_LIMIT=+1",
        "ATOLL_SEGMENT_LIMIT= 1", "ATOLL_SEGMENT_LIMIT=1P", "ATOLL_SEGMENT_LIMIT=1.5G",
        "ATOLL_SEGMENT_LIMIT=G", "ATOLL_SEGMENT_LIMIT=1Gb1", "ATOLL_SEGMENT_LIMIT=1GBB",
        "ATOLL_SEGMENT_LIMIT=18446744073709551616"})
    EXPECT_NE(refusal(entry), "accepted") << entry;
}

TEST(settings, choices_give_their_index) {
  EXPECT_EQ(read({"ATOLL_THREADS=funnelled"}).choice(setting::threads), 1u);
  EXPECT_EQ(read({"ATOLL_RMA_PATH=AM"}).choice(setting::rma_path), 1u);
  EXPECT_NE(refusal("ATOLL_RMA_PATH=dir").find("one of direct, am"), std::string::npos);
  EXPECT_NE(refusal("ATOLL_RMA_PATH=direct,am"), "accepted");
  EXPECT_NE(refusal("ATOLL_RMA_PATH=,"), "accepted");
}

TEST(settings, a_refusal_names_the_variable_the_value_and_the_range) {
  EXPECT_EQ(refusal("ATOLL_RING_CELLS=100"),
            "ATOLL_RING_CELLS: the value \"100\" does not fit this setting; give a power of two "
            "from 64 to 65536 cells, or unset it");
  EXPECT_NE(refusal("ATOLL_RING_CELLS=32"), "accepted");
  EXPECT_NE(refusal("ATOLL_RING_CELLS=131072"), "accepted");
  EXPECT_EQ(refusal("ATOLL_RING_CELLS=65536"), "accepted");
  EXPECT_NE(refusal("ATOLL_SIZE=0"), "accepted");
}

TEST(settings, a_refusal_masks_control_characters_and_cuts_long_values) {
  const std::string entry = "ATOLL_VERBOSE=\x1b[31m\n" + std::string(5000, 'x');
  const auto message = refusal(entry.c_str());
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_LT(message.size(), 300u);
}

TEST(settings, an_unknown_name_is_warned_about_with_the_nearest_real_one) {
  const auto values = read({"ATOLL_RIGN_CELS=64", "ATOLL_VERBOS=3", "OTHER=1", "ATOLLX=1"});
  ASSERT_EQ(values.warnings().size(), 2u);
  EXPECT_NE(values.warnings()[0].find("ATOLL_RING_CELLS"), std::string::npos);
  EXPECT_NE(values.warnings()[1].find("the nearest is ATOLL_VERBOSE"), std::string::npos);
  EXPECT_EQ(values.number(setting::verbose), 1u);
}

TEST(settings, an_empty_value_counts_as_unset) {
  const auto values = read({"ATOLL_RING_CELLS="});
  EXPECT_EQ(values.number(setting::ring_cells), 512u);
  EXPECT_EQ(values.source(setting::ring_cells), atl::setting_source::built_in);
}

TEST(settings, of_a_name_set_twice_the_first_counts_with_a_warning_when_they_differ) {
  const auto differ = read({"ATOLL_VERBOSE=2", "ATOLL_VERBOSE=3"});
  EXPECT_EQ(differ.number(setting::verbose), 2u);
  EXPECT_EQ(differ.source(setting::verbose), atl::setting_source::environment);
  ASSERT_EQ(differ.warnings().size(), 1u);
  EXPECT_NE(differ.warnings()[0].find("set twice"), std::string::npos);
  EXPECT_TRUE(read({"ATOLL_VERBOSE=2", "ATOLL_VERBOSE=2"}).warnings().empty());
}

TEST(settings, what_the_launcher_sets_is_read_and_entries_without_a_value_are_skipped) {
  const auto values = read({"ATOLL_SIZE=7", "ATOLL_JOB=local:abc=def", "ATOLL_SIZE"});
  EXPECT_EQ(values.number(setting::size), 7u);
  EXPECT_EQ(values.text(setting::job), "local:abc=def");
  EXPECT_TRUE(values.warnings().empty());
}

TEST(settings, what_a_program_sets_itself_was_not_given_to_it) {
  ASSERT_EQ(setenv("ATOLLTEST_OWN", "1", 1), 0);
  EXPECT_EQ(atl::foreign_variables("ATOLLTEST_OWN").size(), 1u);
  EXPECT_TRUE(atl::foreign_variables_given("ATOLLTEST_OWN").empty());
  EXPECT_FALSE(atl::foreign_variables_given("PATH=").empty());
  unsetenv("ATOLLTEST_OWN");
}

TEST(settings, foreign_variables_are_read_from_this_process) {
  EXPECT_FALSE(atl::foreign_variable("PATH").empty());
  EXPECT_TRUE(atl::foreign_variable("NO_SUCH_VARIABLE_HERE").empty());
}

}  // namespace
