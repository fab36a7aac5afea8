// SPDX-License-Identifier: BSD-3-Clause
//
// The settings table read from made-up environments: syntax of each kind, ranges, refusals that
// name the variable and the remedy, and warnings for names that do not exist.
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>

#include <gtest/gtest.h>

#include <initializer_list>
#include <set>
#include <vector>

namespace {

using atl::setting;
using atl::settings;

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
  const auto all = read({});
  EXPECT_EQ(all.number(setting::verbose), 1u);
  EXPECT_EQ(all.text(setting::checks), "auto");
  EXPECT_EQ(all.choice(setting::threads), 2u);
  EXPECT_FALSE(all.flag(setting::progress_thread));
  EXPECT_EQ(all.choice(setting::rma_path), 0u);
  EXPECT_EQ(all.number(setting::ring_cells), 512u);
  EXPECT_EQ(all.number(setting::segment_limit), 0u);
  EXPECT_TRUE(all.text(setting::rank).empty());
  EXPECT_TRUE(all.text(setting::job).empty());
  EXPECT_EQ(all.source(setting::verbose), atl::setting_source::built_in);
  EXPECT_TRUE(all.warnings().empty());
}

TEST(settings, a_null_environment_is_an_empty_one) {
  EXPECT_EQ(settings::read(nullptr).number(setting::verbose), 1u);
}

TEST(settings, every_row_has_a_name_of_ours_and_one_line_of_help) {
  std::set<std::string_view> names;
  for (const auto& row : atl::setting_table()) {
    EXPECT_TRUE(row.name.starts_with("ATOLL_"));
    EXPECT_FALSE(row.help.empty()) << row.name;
    EXPECT_EQ(row.help.find('\n'), std::string_view::npos);
    EXPECT_LE(row.help.size(), 90u) << row.name;
    EXPECT_FALSE(atl::setting_values(row).empty());
    EXPECT_TRUE(names.insert(row.name).second);
  }
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
  EXPECT_EQ(read({"ATOLL_BARRIER=counter"}).choice(setting::barrier), 2u);
  EXPECT_EQ(read({"ATOLL_RMA_PATH=AM"}).choice(setting::rma_path), 1u);
  EXPECT_NE(refusal("ATOLL_RMA_PATH=dir").find("one of direct, am"), std::string::npos);
  EXPECT_NE(refusal("ATOLL_RMA_PATH=direct,am"), "accepted");
  EXPECT_NE(refusal("ATOLL_RMA_PATH=,"), "accepted");
}

TEST(settings, a_refusal_names_the_variable_the_value_and_the_range) {
  EXPECT_EQ(refusal("ATOLL_RING_CELLS=100"),
            "ATOLL_RING_CELLS: the value \"100\" does not fit this setting; give a power of two "
            "from 64 to 65536, or unset it");
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
  const auto all = read({"ATOLL_RIGN_CELS=64", "ATOLL_VERBOS=3", "OTHER=1", "ATOLLX=1"});
  ASSERT_EQ(all.warnings().size(), 2u);
  EXPECT_NE(all.warnings()[0].find("ATOLL_RING_CELLS"), std::string::npos);
  EXPECT_NE(all.warnings()[1].find("the nearest is ATOLL_VERBOSE"), std::string::npos);
  EXPECT_EQ(all.number(setting::verbose), 1u);
}

TEST(settings, an_empty_value_counts_as_unset) {
  const auto all = read({"ATOLL_RING_CELLS="});
  EXPECT_EQ(all.number(setting::ring_cells), 512u);
  EXPECT_EQ(all.source(setting::ring_cells), atl::setting_source::built_in);
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
  const auto all = read({"ATOLL_RANK=3", "ATOLL_SIZE=7", "ATOLL_JOB=local:abc=def", "ATOLL_RANK"});
  EXPECT_EQ(all.number(setting::rank), 3u);
  EXPECT_EQ(all.number(setting::size), 7u);
  EXPECT_EQ(all.text(setting::job), "local:abc=def");
  EXPECT_TRUE(all.warnings().empty());
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
