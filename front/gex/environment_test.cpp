// SPDX-License-Identifier: BSD-3-Clause
//
// GASNet's variables: the table, the values they take, and what becomes of them. No job is needed.
#include <gasnetex_identity.h>
#include <atoll/base/error.hpp>
#include <front/gex/environment.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace atl::gex {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t machine = std::size_t{16} << 30;

gasnet_environment read_variables(std::vector<std::string> variables) {
  return gasnet_environment::read(variables, variables, machine);
}

TEST(gasnet_variables, each_name_stands_once_and_is_found) {
  std::set<std::string_view> seen;
  for (const gasnet_variable& row : gasnet_variables()) {
    EXPECT_TRUE(seen.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.reason.empty()) << row.name;
    std::string example(row.name);
    if (example.ends_with('*')) example.back() = 'X';
    EXPECT_EQ(find_gasnet_variable(example), &row) << example << " is hidden by an earlier row";
  }
}

TEST(gasnet_variables, those_that_become_settings_name_one) {
  for (const gasnet_variable& row : gasnet_variables()) {
    EXPECT_EQ(row.fate == variable_fate::becomes_setting, !row.setting.empty()) << row.name;
    if (row.setting.empty()) continue;
    EXPECT_NE(std::ranges::find(all_settings(), row.setting, &setting_row::name),
              all_settings().end())
        << row.name;
  }
}

TEST(gasnet_variables, longer_names_of_a_family_are_found) {
  EXPECT_EQ(find_gasnet_variable("GASNET_IBV_PORTS_0_1")->fate, variable_fate::no_effect);
  EXPECT_EQ(find_gasnet_variable("GASNET_BACKTRACE_MT")->fate, variable_fate::read_by_tools);
  EXPECT_EQ(find_gasnet_variable("GASNET_RCV_THREAD")->fate, variable_fate::becomes_setting);
  EXPECT_EQ(find_gasnet_variable("GASNET_FROM_SOMEWHERE_ELSE"), nullptr);
}

TEST(gasnet_segment_limit, takes_amounts_and_fractions_of_a_process_and_of_a_host) {
  const auto per_rank = [](std::string_view text, rank_id ranks) {
    return parse_segment_limit(text, machine).per_rank(ranks);
  };
  EXPECT_EQ(per_rank("128MB", 4), 128 * mib);
  EXPECT_EQ(per_rank("128.0MB/P", 4), 128 * mib);
  EXPECT_EQ(per_rank("1.5 GB / p", 2), 1536 * mib);
  EXPECT_EQ(per_rank("4G/H", 4), 1024 * mib);
  EXPECT_EQ(per_rank("0.5/H", 4), 2048 * mib);
  EXPECT_EQ(per_rank("0.25", 4), 4096 * mib);
  EXPECT_EQ(per_rank("65536", 1), std::max<std::size_t>(65536, GASNET_PAGESIZE));
  EXPECT_EQ(per_rank("1KB", 1), std::size_t{GASNET_PAGESIZE}) << "at least a page";
  EXPECT_EQ(segment_limit{}.per_rank(3) % GASNET_PAGESIZE, 0u);
}

TEST(gasnet_segment_limit, refuses_what_is_neither) {
  for (const char* text : {"", "x", "MB", "-1", "0", "12QB", "12MBs", "1GB/X", "nan", "1e300GB"}) {
    EXPECT_THROW(parse_segment_limit(text, machine), error) << text;
  }
}

TEST(gasnet_environment, gives_settings_in_our_words) {
  const auto out =
      read_variables({"GASNET_BARRIER=AMDISSEM", "GASNET_RCV_THREAD=y", "GASNET_STATSFILE=out-%"});
  EXPECT_EQ(out.settings, (std::vector<std::string>{"ATOLL_BARRIER=am", "ATOLL_PROGRESS_THREAD=1",
                                                    "ATOLL_COUNTERS=1"}));
  EXPECT_TRUE(out.no_effect.empty());
  EXPECT_EQ(out.report.size(), 3u);
  EXPECT_EQ(read_variables({"GASNET_BARRIER=RDMADISSEM"}).settings.front(), "ATOLL_BARRIER=auto");
}

TEST(gasnet_environment, keeps_what_the_front_needs) {
  const auto out =
      read_variables({"GASNET_MAX_SEGSIZE=64MB/P", "GASNET_MAX_THREADS=8", "GASNET_PSHM_NODES=3",
                      "GASNET_VERBOSEENV=yes", "GASNET_FREEZE=0"});
  EXPECT_EQ(out.segments.bytes, 64 * mib);
  EXPECT_EQ(out.threads_max, 8u);
  EXPECT_EQ(out.ranks, 3u);
  EXPECT_TRUE(out.verbose);
  EXPECT_FALSE(out.freeze);
  EXPECT_TRUE(out.settings.empty());
}

TEST(gasnet_environment, names_what_has_no_effect_and_why) {
  const auto out = read_variables({"GASNET_TRACEFILE=t-%", "GASNET_NODEMAP_EXACT=1", "OTHER=1",
                                   "GASNET_X=1", "GASNET_VIS_AMPIPE="});
  ASSERT_EQ(out.no_effect.size(), 1u);
  EXPECT_NE(out.no_effect.front().find("GASNET_TRACEFILE (there is no trace file"),
            std::string::npos);
  EXPECT_EQ(out.report.size(), 3u) << "also those that are nobody's, but not those that are empty";
}

TEST(gasnet_environment, is_silent_about_what_the_program_itself_set) {
  const std::vector<std::string> now = {"GASNET_PHYSMEM_PROBE=0", "GASNET_TRACEFILE=ours",
                                        "GASNET_VIS_AMPIPE=1", "GASNET_MAX_THREADS=8"};
  const std::vector<std::string> given = {"GASNET_TRACEFILE=theirs", "GASNET_VIS_AMPIPE=1"};
  const auto out = gasnet_environment::read(now, given, machine);
  ASSERT_EQ(out.no_effect.size(), 1u);
  EXPECT_NE(out.no_effect.front().find("GASNET_VIS_AMPIPE"), std::string::npos);
  EXPECT_EQ(out.threads_max, 8u) << "what has an effect has it whoever set it";
  EXPECT_EQ(out.report.size(), 4u);
}

TEST(gasnet_environment, refuses_values_that_make_no_sense) {
  for (const char* text : {"GASNET_PSHM_NODES=many", "GASNET_PSHM_NODES=99999999",
                           "GASNET_VERBOSEENV=perhaps", "GASNET_MAX_THREADS=-1"}) {
    EXPECT_THROW(read_variables({text}), error) << text;
  }
}

}  // namespace
}  // namespace atl::gex
