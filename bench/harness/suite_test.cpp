// SPDX-License-Identifier: BSD-3-Clause
//
// A suite of cases whose times are made up, so that every figure is known.
#include <bench/harness/suite.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

using bench::bench_case;

bench_case constant(std::string name, double each_ns) {
  return {.name = std::move(name), .operations = 10, .run = [each_ns](std::uint64_t count) {
            return each_ns * static_cast<double>(count);
          }};
}

class a_suite : public testing::Test {
 protected:
  nlohmann::json figures() {
    std::ifstream in(file_);
    return nlohmann::json::parse(in);
  }

  bench::suite make(bench::options chosen) {
    chosen.json_file = file_;
    return bench::suite({.benchmark = "made up", .implementation = "none"}, chosen,
                        [this] { ++barriers_; });
  }

  void TearDown() override { std::filesystem::remove(file_); }

  std::string file_ = testing::TempDir() + "bench_suite_test.json";
  int barriers_ = 0;
};

TEST_F(a_suite, tells_times_per_operation_and_ratios_within_rounds) {
  bench::suite suite = make({.rounds = 4});
  double time_ns = 0;
  suite.add({.name = "slow", .operations = 1, .run = [&](auto) { return time_ns += 10; }});
  suite.add({.name = "fast", .operations = 1, .run = [&](auto) { return time_ns / 2; }});
  suite.compare({.numerator = "slow", .denominator = "fast", .at_most = 3});
  suite.run();
  const nlohmann::json file = figures();
  EXPECT_EQ(file["cases"][0]["time_ns"]["min"], 20);  // the first round is not counted
  EXPECT_EQ(file["cases"][0]["time_ns"]["max"], 50);
  EXPECT_EQ(file["ratios"][0]["ratio"]["mad"], 0);
  EXPECT_EQ(file["ratios"][0]["ratio"]["median"], 2);
}

TEST_F(a_suite, passes_a_barrier_before_every_case) {
  bench::suite suite = make({.rounds = 2});
  suite.add(constant("one", 1));
  suite.add(constant("two", 2));
  suite.run();
  EXPECT_EQ(barriers_, 3 * 2 + 1);
}

TEST_F(a_suite, leaves_out_cases_and_their_ratios_when_asked_for_others) {
  bench::suite suite = make({.only = "put", .rounds = 1});
  suite.add(constant("put_8", 1));
  suite.add(constant("get_8", 1));
  suite.compare({.numerator = "put_8", .denominator = "get_8"});
  suite.run();
  EXPECT_EQ(figures()["cases"].size(), 1u);
  EXPECT_TRUE(figures()["ratios"].empty());
}

TEST_F(a_suite, keeps_the_cases_of_several_parts) {
  bench::suite suite = make({.only = "put,swap", .rounds = 1});
  for (const char* name : {"put_8", "get_8", "swap"}) suite.add(constant(name, 1));
  suite.run();
  EXPECT_EQ(figures()["cases"].size(), 2u);
}

TEST_F(a_suite, fits_operations_so_that_a_round_lasts_a_millisecond) {
  bench::suite suite = make({.rounds = 1});
  suite.fit([](std::uint64_t value) { return value; });
  suite.add(constant("fast", 10));
  suite.add(constant("slow", 1e9));
  bench_case often = constant("often", 1e9);
  often.operations_least = 7;
  suite.add(often);
  suite.run();
  EXPECT_EQ(figures()["cases"][0]["operations"], 100'000);
  EXPECT_EQ(figures()["cases"][1]["operations"], 1);
  EXPECT_EQ(figures()["cases"][2]["operations"], 7);
}

TEST_F(a_suite, fits_what_costs_something_besides_its_operations) {
  bench::suite suite = make({.rounds = 1});
  suite.fit([](std::uint64_t value) { return value; });
  suite.add({.name = "late",
             .run = [](std::uint64_t count) { return 4e5 + static_cast<double>(count); }});
  suite.run();
  EXPECT_GT(figures()["cases"][0]["operations"], 10'000);
}

TEST_F(a_suite, ends_its_rounds_when_the_reporter_says_so) {
  bench::suite suite = make({.rounds = 50, .seconds = 1e-9});
  suite.fit([](std::uint64_t value) { return value; });
  suite.add(constant("one", 1));
  suite.run();
  EXPECT_EQ(figures()["rounds"], 3);
}

TEST_F(a_suite, derives_bandwidth_from_the_median) {
  bench::suite suite = make({.rounds = 1});
  bench_case copy = constant("copy", 500);
  copy.bytes = 1000;
  suite.add(copy);
  suite.run();
  EXPECT_EQ(figures()["cases"][0]["bandwidth_gb_s"], 2);
}

TEST_F(a_suite, tells_facts_beside_times) {
  bench::suite suite = make({.rounds = 1});
  suite.add(constant("one", 1));
  suite.add_fact({.name = "memory", .value = 3, .unit = "KiB"});
  suite.run();
  EXPECT_EQ(figures()["facts"][0]["value"], 3);
  EXPECT_EQ(figures()["facts"][0]["unit"], "KiB");
}

TEST_F(a_suite, refuses_a_file_that_cannot_be_written) {
  file_ = testing::TempDir() + "no such folder/figures.json";
  bench::suite suite = make({.rounds = 1});
  suite.add(constant("one", 1));
  EXPECT_THROW(suite.run(), std::runtime_error);
}

}  // namespace
