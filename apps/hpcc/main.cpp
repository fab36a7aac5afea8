// SPDX-License-Identifier: BSD-3-Clause
//
// hpcc: the options, and for each kernel its work, the limit of its error and its memory. CMake
// counts the lines of the kernels.
#include <CLI/CLI.hpp>
#include <apps/hpcc/kernel.hpp>
#include <apps/trial/upcxx_job.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <array>

namespace hpcc {
namespace {

struct kernel_plan {
  trial::task task;
  std::uint64_t shared_bytes;   // of a rank, in memory that others reach
  std::uint64_t own_bytes = 0;  // of a rank besides
  std::string size;
};

kernel_plan plan_stream(const sizes& chosen, unsigned ranks) {
  const auto numbers = static_cast<double>(chosen.stream_numbers);
  return {.task = {.operations = 24 * numbers, .unit = "GB/s", .lines = HPCC_LINES_STREAM},
          .shared_bytes = 24 * atl::pieces_of(chosen.stream_numbers, ranks),
          .size = atl::text(chosen.stream_numbers, " numbers")};
}

kernel_plan plan_random_access(const sizes& chosen, unsigned ranks) {
  const std::uint64_t words = std::uint64_t{1} << chosen.log2_words;
  return {.task = {.operations = 4 * static_cast<double>(words),
                   .unit = "GUP/s",
                   .lines = HPCC_LINES_RANDOM_ACCESS},
          .shared_bytes = 8 * atl::pieces_of(words, ranks),
          .size = atl::text("2^", chosen.log2_words, " words")};
}

kernel_plan plan_fft(const sizes& chosen, unsigned ranks) {
  const std::uint64_t n1 = std::uint64_t{1} << chosen.log2_points / 2;
  const std::uint64_t n2 = std::uint64_t{1} << (chosen.log2_points + 1) / 2;
  const std::uint64_t field = 16 * atl::pieces_of(n1, ranks) * n2;
  const std::uint64_t spectrum = 16 * atl::pieces_of(n2, ranks) * n1;
  return {.task = {.operations = 5 * static_cast<double>(n1 * n2) * chosen.log2_points,
                   .error_max = 1e-9,
                   .lines = HPCC_LINES_FFT},
          .shared_bytes = field + spectrum,
          .own_bytes = std::max(field, spectrum),  // tiles that have arrived
          .size = atl::text("2^", chosen.log2_points, " points")};
}

// The error is the residual in Linpack's scale.
kernel_plan plan_lu(const sizes& chosen, unsigned ranks) {
  const auto n = static_cast<double>(chosen.unknowns);
  const std::uint64_t blocks = atl::pieces_of(chosen.unknowns + 1, chosen.block);
  const std::uint64_t columns = atl::pieces_of(blocks, ranks) * chosen.block;
  return {.task = {.operations = 2 * n * n * n / 3 + 1.5 * n * n,
                   .error_max = 16,
                   .lines = HPCC_LINES_LU},
          .shared_bytes = 0,
          .own_bytes = 8 * chosen.unknowns * (columns + chosen.block),
          .size = atl::text(chosen.unknowns, " unknowns")};
}

struct row {
  const char* name;
  std::unique_ptr<kernel> (*make)(const sizes& chosen);
  kernel_plan (*plan)(const sizes& chosen, unsigned ranks);
};

constexpr std::array rows{row{"stream", make_stream, plan_stream},
                          row{"random_access", make_random_access, plan_random_access},
                          row{"fft", make_fft, plan_fft}, row{"lu", make_lu, plan_lu}};

const row& row_of(const std::string& name) {
  return *std::ranges::find_if(rows, [&](const row& each) { return each.name == name; });
}

class program final : public trial::program {
 public:
  std::string_view app() const override { return "hpcc"; }
  std::string_view about() const override {
    return "hpcc: four kernels of the HPC Challenge as short programs in UPC++. Fails when a "
           "result is\nwrong.";
  }
  std::vector<std::string> variants() const override {
    std::vector<std::string> names;
    for (const row& each : rows) names.emplace_back(each.name);
    return names;
  }
  void add_options(CLI::App& app) override;
  trial::work plan(unsigned ranks, const std::vector<std::string>& names) const override;
  trial::variant_list make(const std::vector<std::string>& names) const {
    trial::variant_list made;
    for (const std::string& name : names) made.push_back(row_of(name).make(chosen_));
    return made;
  }

 private:
  sizes chosen_;
};

void program::add_options(CLI::App& app) {
  const auto add = [&](const char* name, auto& value, auto most, const char* help) {
    app.add_option(name, value, help)
        ->check(CLI::Range(std::remove_reference_t<decltype(value)>{1}, most))
        ->capture_default_str();
  };
  add("--stream-numbers", chosen_.stream_numbers, std::size_t{1} << 40,
      "stream: numbers in each of the three arrays");
  add("--log2-words", chosen_.log2_words, 40U, "random_access: the table has 2^N words of 8 bytes");
  add("--log2-points", chosen_.log2_points, 40U, "fft: 2^N points");
  add("--unknowns", chosen_.unknowns, std::size_t{1} << 20, "lu: unknowns, and as many equations");
  add("--block", chosen_.block, std::size_t{1} << 16, "lu: columns that are factored at a time");
}

trial::work program::plan(unsigned ranks, const std::vector<std::string>& names) const {
  trial::work planned{.title = {},
                      .tasks = {},
                      .facts = {{"stream_numbers", chosen_.stream_numbers},
                                {"log2_words", chosen_.log2_words},
                                {"log2_points", chosen_.log2_points},
                                {"unknowns", chosen_.unknowns},
                                {"block", chosen_.block}}};
  for (const std::string& name : names) {
    kernel_plan next = row_of(name).plan(chosen_, ranks);
    planned.title += (planned.title.empty() ? "" : ", ") + next.size;
    planned.tasks.push_back(next.task);
    planned.bytes_of_rank += next.shared_bytes;
    planned.bytes_in_all += (next.shared_bytes + next.own_bytes) * ranks;
  }
  return planned;
}

}  // namespace
}  // namespace hpcc

int main(int argc, char** argv) {
  hpcc::program program;
  return trial::run_in_upcxx(
      argc, argv, program,
      [&](trial::group&, const std::vector<std::string>& names) { return program.make(names); });
}
