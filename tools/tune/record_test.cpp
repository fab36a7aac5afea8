// SPDX-License-Identifier: BSD-3-Clause
//
// Tests which lines are records, and which records are of one job and one measurement.
#include <tools/tune/record.hpp>

#include <gtest/gtest.h>
#include <atoll/base/text.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace atl::tools {
namespace {

constexpr const char* good =
    R"({"machine":"an abacus","version":"1","ranks":4,"hosts":2,"oversubscribed":false,)"
    R"("network":"tcp","collective":"scan","bytes":8,"blocking":false,"work":0.5,"pass":2,)"
    R"("network_ns":25000,"rounds":2,"built_in":"chain","times_ns":{"chain":[10.5,11]}})";

// The good line with another text in the place of one.
std::string changed(const std::string& old_text, const std::string& new_text) {
  std::string line = good;
  const std::size_t place = line.find(old_text);
  EXPECT_NE(place, std::string::npos) << old_text;
  return line.replace(place, old_text.size(), new_text);
}

TEST(tune_record, is_read_with_all_that_it_says) {
  const auto record = record_from(good);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->collective, "scan");
  EXPECT_EQ(record->ranks, 4u);
  EXPECT_EQ(record->work, 0.5);
  EXPECT_EQ(record->pass, 2u);
  EXPECT_EQ(record->network_ns, 25000u);
  EXPECT_EQ(record->times_ns.at("chain").size(), 2u);
}

// Figures that cannot be would end the command by a division by zero, or make wrong rules.
TEST(tune_record, has_figures_that_can_be) {
  for (const auto& [old_text, new_text] : {
           std::pair(R"("hosts":2)", R"("hosts":0)"),
           std::pair(R"("ranks":4)", R"("ranks":0)"),
           std::pair(R"("ranks":4)", R"("ranks":-2)"),
           std::pair(R"("ranks":4)", R"("ranks":"four")"),
           std::pair(R"("bytes":8)", R"("bytes":1.5)"),
           std::pair(R"("bytes":8)", R"("bytes":0)"),
           std::pair(R"("bytes":8)", R"("bytes":18446744073709551615)"),
           std::pair(R"("pass":2)", R"("pass":-1)"),
           std::pair(R"("work":0.5)", R"("work":-1)"),
           std::pair(R"("rounds":2)", R"("rounds":2.5)"),
           std::pair(R"("blocking":false)", R"("blocking":0)"),
           std::pair(R"("scan")", R"("telepathy")"),
           std::pair("[10.5,11]", "[]"),
           std::pair("[10.5,11]", "[10.5,0]"),
           std::pair("[10.5,11]", R"(["fast"])"),
           std::pair(R"({"chain":[10.5,11]})", "{}"),
           std::pair(R"("pass":2,)", R"("pass":2,"element_bytes":0,)"),
       }) {
    EXPECT_FALSE(record_from(changed(old_text, new_text)).has_value()) << new_text;
  }
  EXPECT_FALSE(record_from(std::string(good).substr(0, 90)).has_value());
  EXPECT_FALSE(record_from("[1, 2]").has_value());
}

TEST(tune_record, of_a_file_are_read_and_other_lines_counted) {
  const std::string path = testing::TempDir() + text("atoll_record_", ::getpid());
  std::ofstream(path) << good << '\n'
                      << changed(R"("hosts":2)", R"("hosts":0)") << "\n\n"
                      << good << "\n{\"machine\":";
  std::size_t left_out = 0;
  EXPECT_EQ(read_records(path, &left_out).size(), 2u);
  EXPECT_EQ(left_out, 2u);
  std::filesystem::remove(path);
}

TEST(tune_record, is_of_a_job_with_the_same_machine_ranks_cores_and_network) {
  const tune_record job = record_from(good).value();
  EXPECT_TRUE(is_of_job(record_from(changed("25000", "90000")).value(), job)) << "as fast";
  EXPECT_TRUE(is_of_job(record_from(changed(R"("bytes":8)", R"("bytes":16)")).value(), job));
  for (const auto& [old_text, new_text] : {
           std::pair("an abacus", "a slide rule"),
           std::pair(R"("version":"1")", R"("version":"2")"),
           std::pair(R"("ranks":4)", R"("ranks":5)"),
           std::pair(R"("hosts":2)", R"("hosts":3)"),
           std::pair(R"("oversubscribed":false)", R"("oversubscribed":true)"),
           std::pair(R"("tcp")", R"("verbs")"),
           std::pair("25000", "250000"),
           std::pair(R"("version":"1")", R"("version":"1","settings":["ATOLL_WAIT=sleep"])"),
       }) {
    EXPECT_FALSE(is_of_job(record_from(changed(old_text, new_text)).value(), job)) << new_text;
  }
}

TEST(tune_record, has_the_key_of_its_point_and_pass) {
  const std::string key = key_of(record_from(good).value());
  EXPECT_EQ(key_of(record_from(changed("[10.5,11]", "[9]")).value()), key);
  EXPECT_EQ(key_of(record_head_from(good).value()), key);
  for (const auto& [old_text, new_text] :
       {std::pair(R"("bytes":8)", R"("bytes":16)"), std::pair(R"("pass":2)", R"("pass":1)"),
        std::pair(R"("scan")", R"("reduce")"), std::pair(R"("work":0.5)", R"("work":1)")}) {
    EXPECT_NE(key_of(record_from(changed(old_text, new_text)).value()), key) << new_text;
  }
}

}  // namespace
}  // namespace atl::tools
