// SPDX-License-Identifier: BSD-3-Clause
//
// The verdict: a variant with an error above the limit, with one that is not a number, or with one
// in a single round is WRONG in the table, in the last line, in the JSON file and in the exit code.
// Variants with work of their own have their own units, limits and lines of code in both reports.
#include <CLI/CLI.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/one_rank.hpp>
#include <apps/trial/options.hpp>
#include <apps/trial/run.hpp>
#include <atoll/base/error.hpp>
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
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
  trial::work planned{
      .title = "no work", .tasks = {{.operations = 1, .error_max = limit}}, .facts = {}};
  trial::work plan(unsigned, const std::vector<std::string>&) const override { return planned; }
};

TEST(parse, takes_each_variant_once_in_the_order_given) {
  scripted_program program;
  trial::options chosen;
  std::vector<std::string> words{"scripted", "--variants", "other,good,other,good"};
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  const int count = static_cast<int>(arguments.size());
  EXPECT_FALSE(trial::parse(count, arguments.data(), program, false, chosen).has_value());
  EXPECT_EQ(chosen.variants, (std::vector<std::string>{"other", "good"}));
}

struct verdict {
  int exit_code = 0;
  std::string table;
  nlohmann::json file;
};

// Of a right variant and another one that has these errors: in the rehearsal, in round 1, ...
verdict verdict_of(const std::vector<double>& errors, scripted_program program = {}) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) /
      (std::string("verdict") + std::to_string(::getpid()) + ".json");
  trial::one_rank alone;
  trial::options chosen{.rounds = 3, .variants = {}, .quiet = false, .json_path = path};
  testing::internal::CaptureStdout();
  verdict found;
  found.exit_code = trial::run_program(
      alone, program, chosen,
      {.implementation = "test",
       .memory = {},
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

scripted_program with_own_tasks() {
  scripted_program program;
  program.planned.tasks = {{.operations = 2e9, .error_max = 0, .unit = "GB/s", .lines = 7},
                           {.operations = 3e9, .error_max = 1, .unit = "GUP/s", .lines = 11}};
  return program;
}

TEST(run_program, gives_each_variant_its_own_unit_limit_and_lines) {
  const verdict found = verdict_of({0, 1, 0.5}, with_own_tasks());
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_NE(found.table.find(" rate           lines     error\n"), std::string::npos)
      << found.table;
  EXPECT_NE(found.table.find(" GB/s          7   0.0e+00\n"), std::string::npos) << found.table;
  EXPECT_NE(found.table.find(" GUP/s        11   1.0e+00\n"), std::string::npos) << found.table;
  EXPECT_NE(found.table.find("scripted: right: no error above its limit"), std::string::npos);
  const auto& variants = found.file["variants"];
  EXPECT_EQ(variants[0]["unit"], "GB/s");
  EXPECT_EQ(variants[0]["lines"], 7);
  EXPECT_EQ(variants[1]["unit"], "GUP/s");
  EXPECT_EQ(variants[1]["error_max"], 1);
  EXPECT_GT(variants[1]["rate"], 0);
}

TEST(run_program, holds_each_variant_to_its_own_limit) {
  const verdict found = verdict_of({0, 1.5, 0}, with_own_tasks());
  EXPECT_EQ(found.exit_code, 1);
  EXPECT_EQ(found.file["variants"][0]["right"], true);
  EXPECT_EQ(found.file["variants"][1]["right"], false);
  EXPECT_NE(found.table.find("scripted: WRONG: an error above its limit"), std::string::npos);
}

TEST(run_program, counts_no_lines_where_none_are_told) {
  const verdict found = verdict_of({0});
  EXPECT_EQ(found.table.find("lines"), std::string::npos) << found.table;
  EXPECT_FALSE(found.file["variants"][0].contains("lines"));
}

TEST(run_program, refuses_an_error_above_the_limit) { expect_wrong({2 * limit}); }

TEST(run_program, refuses_what_is_not_a_number) { expect_wrong({not_a_number}); }

TEST(run_program, remembers_an_error_of_one_round) {
  expect_wrong({0, 0, 2 * limit, 0});
  expect_wrong({0, 0, not_a_number, 0});
  expect_wrong({2 * limit, 0, 0, 0});
}

TEST(check_memory, refuses_what_the_rank_with_the_least_has_not) {
  trial::one_rank alone;
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  const trial::work planned{
      .title = {}, .tasks = {}, .bytes_of_rank = 10 * mib, .bytes_in_all = 30 * mib, .facts = {}};
  EXPECT_NO_THROW(trial::check_memory(alone, planned, {}));
  EXPECT_NO_THROW(trial::check_memory(alone, planned, {.heap = 18 * mib, .all = 30 * mib}));
  const auto refusal_of = [&](const trial::memory_share& own) -> std::string {
    try {
      trial::check_memory(alone, planned, own);
    } catch (const atl::error& refusal) {
      return refusal.what();
    }
    return "";
  };
  EXPECT_NE(refusal_of({.heap = 17 * mib})
                .find("18 MiB of shared memory are needed in each rank, "
                      "and it may have 17 MiB"),
            std::string::npos);
  EXPECT_NE(refusal_of({.all = 29 * mib}).find("30 MiB are needed, and there are now 29 MiB"),
            std::string::npos);
}

/// Has an error unless a barrier stands between its steps.
class stepping final : public trial::variant {
 public:
  struct counting final : trial::group {
    unsigned rank() const override { return 0; }
    unsigned size() const override { return 1; }
    void barrier() override { ++barriers; }
    void add(std::span<double>) override {}
    double greatest(double number) override { return number; }
    void broadcast(std::span<double>) override {}
    unsigned barriers = 0;
  };
  explicit stepping(const counting& ranks) : ranks_(ranks) {}
  std::string_view name() const override { return "stepping"; }
  void prepare() override { barriers_at_prepare_ = ranks_.barriers; }
  void run() override {
    is_ordered_ = is_ordered_ && ranks_.barriers > barriers_at_prepare_;
    barriers_at_run_ = ranks_.barriers;
  }
  double error() override {
    is_ordered_ = is_ordered_ && ranks_.barriers > barriers_at_run_;
    return is_ordered_ ? 0 : 1;
  }

 private:
  const counting& ranks_;
  unsigned barriers_at_prepare_ = 0;
  unsigned barriers_at_run_ = 0;
  bool is_ordered_ = true;
};

// Ranks that write to each other must have prepared, and must have ended before they are checked.
TEST(run_rounds, has_barriers_before_and_after_a_run_in_the_first_one_too) {
  stepping::counting ranks;
  trial::variant_list variants;
  variants.push_back(std::make_unique<stepping>(ranks));
  const trial::work planned{.title = {}, .tasks = {{.error_max = 0}}, .facts = {}};
  const trial::outcome found =
      trial::run_rounds(ranks, variants, planned, {.rounds = 2}, [](const std::string&) {});
  EXPECT_TRUE(found.right());
}

/// Refuses to run.
class refusing final : public trial::variant {
 public:
  std::string_view name() const override { return "refusing"; }
  void prepare() override {}
  void run() override { throw atl::error("this", "cannot be", "try another"); }
  double error() override { return 0; }
};

// On a terminal a line says what runs, and is erased before a refusal stands there.
TEST(run_program, erases_its_progress_before_a_refusal) {
  int master = -1;
  int terminal = -1;
  ASSERT_EQ(::openpty(&master, &terminal, nullptr, nullptr, nullptr), 0);
  const int kept = ::dup(STDERR_FILENO);
  ::dup2(terminal, STDERR_FILENO);
  trial::one_rank alone;
  scripted_program program;
  const auto make = [](const std::vector<std::string>&) {
    trial::variant_list made;
    made.push_back(std::make_unique<refusing>());
    return made;
  };
  const int exit_code = trial::run_program(
      alone, program, {}, {.implementation = "test", .memory = {}, .make = make, .afterwards = {}});
  std::cerr.flush();
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
  ::close(terminal);
  std::string shown;
  char piece[256];
  for (ssize_t bytes = 0; (bytes = ::read(master, piece, sizeof piece)) > 0;)
    shown.append(piece, static_cast<std::size_t>(bytes));
  ::close(master);
  EXPECT_EQ(exit_code, 2);
  EXPECT_NE(shown.find("checking refusing\r\033[Kscripted: this: cannot be"), std::string::npos)
      << shown;
}

}  // namespace
