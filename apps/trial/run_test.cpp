// SPDX-License-Identifier: BSD-3-Clause
//
// The verdict: a variant with an error above the limit, with one that is not a number, or with one
// in a single round is WRONG in the table, in the last line, in the JSON file and in the exit code.
#include <CLI/CLI.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/one_rank.hpp>
#include <apps/trial/options.hpp>
#include <apps/trial/run.hpp>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double limit = 1e-3;

TEST(larger_error, keeps_what_is_not_a_number) {
  EXPECT_EQ(trial::larger_error(1, 2), 2);
  EXPECT_EQ(trial::larger_error(2, 1), 2);
  EXPECT_TRUE(std::isnan(trial::larger_error(not_a_number, 1)));
  EXPECT_TRUE(std::isnan(trial::larger_error(1, not_a_number)));
}

/// Has the error of each run in turn, the last one for all further runs.
class scripted final : public trial::variant {
 public:
  scripted(std::string name, std::vector<double> errors)
      : name_(std::move(name)), errors_(std::move(errors)) {}
  std::string_view name() const override { return name_; }
  void prepare() override {}
  void run() override { ++runs_; }
  double error() override { return errors_[std::min(runs_, errors_.size()) - 1]; }

 private:
  std::string name_;
  std::vector<double> errors_;
  std::size_t runs_ = 0;
};

class scripted_program final : public trial::program {
 public:
  std::string_view app() const override { return "scripted"; }
  std::string_view about() const override { return "nothing"; }
  std::vector<std::string> variants() const override { return {"good", "other"}; }
  void add_options(CLI::App&) override {}
  trial::work plan(unsigned, const std::vector<std::string>&) const override {
    return {.title = "no work", .operations = 1, .error_max = limit, .facts = {}};
  }
};

TEST(parse, takes_each_variant_once_in_the_order_given) {
  scripted_program given;
  trial::options chosen;
  std::vector<std::string> words{"scripted", "--variants", "other,good,other,good"};
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  const int count = static_cast<int>(arguments.size());
  EXPECT_FALSE(trial::parse(count, arguments.data(), given, false, chosen).has_value());
  EXPECT_EQ(chosen.variants, (std::vector<std::string>{"other", "good"}));
}

struct verdict {
  int exit_code = 0;
  std::string table;
  nlohmann::json file;
};

// Of a right variant and another one that has these errors: in the rehearsal, in round 1, ...
verdict verdict_of(const std::vector<double>& errors) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) /
      (std::string("verdict") + std::to_string(::getpid()) + ".json");
  trial::one_rank alone;
  scripted_program given;
  trial::options chosen{.rounds = 3, .variants = {}, .quiet = false, .json_path = path};
  testing::internal::CaptureStdout();
  verdict found;
  found.exit_code = trial::run_program(
      alone, given, chosen,
      {.implementation = "test",
       .check_memory = {},
       .make =
           [&](const std::vector<std::string>&) {
             trial::variant_list made;
             made.push_back(std::make_unique<scripted>("good", std::vector{0.0}));
             made.push_back(std::make_unique<scripted>("other", errors));
             return made;
           },
       .afterwards = {}});
  found.table = testing::internal::GetCapturedStdout();
  found.file = nlohmann::json::parse(std::ifstream(path));
  std::filesystem::remove(path);
  return found;
}

void expect_wrong(const std::vector<double>& errors) {
  const verdict found = verdict_of(errors);
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_NE(found.table.find("  WRONG\n"), std::string::npos) << found.table;
  EXPECT_NE(found.table.find("scripted: WRONG: an error above"), std::string::npos) << found.table;
  EXPECT_EQ(found.file["right"], false);
  EXPECT_EQ(found.file["variants"][0]["right"], true);
  EXPECT_EQ(found.file["variants"][1]["right"], false);
}

TEST(run_program, passes_errors_up_to_the_limit) {
  const verdict found = verdict_of({0, limit, 0});
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_EQ(found.table.find("WRONG"), std::string::npos) << found.table;
  EXPECT_NE(found.table.find("scripted: right: no error above"), std::string::npos) << found.table;
  EXPECT_EQ(found.file["right"], true);
  EXPECT_EQ(found.file["variants"][1]["error"], limit);
}

TEST(run_program, refuses_an_error_above_the_limit) { expect_wrong({2 * limit}); }

TEST(run_program, refuses_what_is_not_a_number) { expect_wrong({not_a_number}); }

TEST(run_program, remembers_an_error_of_one_round) {
  expect_wrong({0, 0, 2 * limit, 0});
  expect_wrong({0, 0, not_a_number, 0});
  expect_wrong({2 * limit, 0, 0, 0});
}

}  // namespace
