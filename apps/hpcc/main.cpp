// SPDX-License-Identifier: BSD-3-Clause
//
// hpcc: the command line, the rounds, the check of errors, the report. The kernels and the limits
// of their errors are in one table. CMake counts their lines.
#include <CLI/CLI.hpp>
#include <apps/hpcc/kernel.hpp>
#include <apps/trial/median.hpp>
#include <apps/trial/report.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <atoll/base/text.hpp>
#include <nlohmann/json.hpp>
#include <upcxx/upcxx.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>

namespace hpcc {
namespace {

struct row {
  std::string_view name;
  unsigned lines;  // of code, without comments and empty lines
  std::unique_ptr<kernel> (*make)(const sizes&);
  double (*amount)(const sizes&);  // of one run, in 10^9
  std::string_view unit;           // per second
  double error_max;
  double (*bytes)(const sizes&);  // of all ranks
};

double points(const sizes& given) { return std::exp2(given.log2_points); }
double words(const sizes& given) { return std::exp2(given.log2_words); }
double order(const sizes& given) { return static_cast<double>(given.unknowns); }
double numbers(const sizes& given) { return static_cast<double>(given.stream_numbers); }

constexpr std::array rows{
    row{"stream", HPCC_LINES_STREAM, make_stream,
        [](const sizes& given) { return 24e-9 * numbers(given); }, "GB/s", 0,
        [](const sizes& given) { return 24 * numbers(given); }},
    row{"random_access", HPCC_LINES_RANDOM_ACCESS, make_random_access,
        [](const sizes& given) { return 4e-9 * words(given); }, "GUP/s", 0,
        [](const sizes& given) { return 8 * words(given); }},
    row{"fft", HPCC_LINES_FFT, make_fft,
        [](const sizes& given) { return 5e-9 * points(given) * given.log2_points; }, "GFLOP/s",
        1e-9, [](const sizes& given) { return 48 * points(given); }},
    row{"lu", HPCC_LINES_LU, make_lu,
        [](const sizes& given) {
          const double n = order(given);
          return 1e-9 * (2 * n * n * n / 3 + 1.5 * n * n);
        },
        "GFLOP/s", 16, [](const sizes& given) { return 8 * order(given) * order(given); }},
};

struct options {
  sizes size;
  std::vector<std::string> kernels;
  unsigned rounds = 5;
  bool quiet = false;
  std::string json_path;
};

void add_options(CLI::App& app, options& into) {
  std::vector<std::string> names;
  for (const row& each : rows) names.emplace_back(each.name);
  const auto add = [&](const char* name, auto& value, const char* help, auto least, auto most) {
    app.add_option(name, value, help)->check(CLI::Range(least, most))->capture_default_str();
  };
  add("--stream-numbers", into.size.stream_numbers, "numbers in each of stream's arrays",
      std::size_t{1}, std::size_t{1} << 40);
  add("--log2-words", into.size.log2_words, "logarithm of the words of random_access", 1U, 40U);
  add("--log2-points", into.size.log2_points, "logarithm of the points of fft", 2U, 40U);
  add("--unknowns", into.size.unknowns, "of lu's system of equations", std::size_t{1},
      std::size_t{1} << 20);
  add("--block", into.size.block, "columns that lu factors at a time", std::size_t{1},
      std::size_t{1} << 16);
  add("-r,--rounds", into.rounds, "how often each kernel runs; the median counts", 1U, 1000U);
  app.add_option("-k,--kernels", into.kernels, "those to run (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  app.add_flag("-q,--quiet", into.quiet, "print only the last line");
  app.add_option("--json", into.json_path, "write the figures to this file");
}

struct figure {
  const row* measured = nullptr;
  double seconds = 0;  // the median
  double rate = 0;
  double error = 0;
  bool is_right() const { return error <= measured->error_max; }
};

figure measure(const row& measured, const options& chosen, const trial::progress& show_progress) {
  const std::unique_ptr<kernel> made = measured.make(chosen.size);
  figure result{.measured = &measured};
  std::vector<double> seconds;
  for (unsigned round = 0; round <= chosen.rounds; ++round) {  // the first is not timed
    show_progress(atl::text(measured.name, ": round ", round, " of ", chosen.rounds));
    made->prepare();
    upcxx::barrier();
    const std::int64_t start_ns = atl::now_ns();
    made->run();
    upcxx::barrier();
    seconds.push_back(static_cast<double>(atl::now_ns() - start_ns) * 1e-9);
    const double error = made->error();
    // Not a number becomes a large one, because a maximum over ranks or rounds forgets it.
    const double greatest =
        upcxx::reduce_all(std::isfinite(error) ? error : 1e300, upcxx::op_fast_max).wait();
    result.error = std::max(result.error, greatest);
  }
  seconds.erase(seconds.begin());
  result.seconds = trial::median(std::move(seconds));
  result.rate = measured.amount(chosen.size) / result.seconds;
  return result;
}

void print(const std::vector<figure>& figures, const options& chosen) {
  if (!chosen.quiet) {
    std::printf("hpcc: %d rank%s\n\n", upcxx::rank_n(), upcxx::rank_n() == 1 ? "" : "s");
    std::printf("  kernel              rate   unit      lines     error\n");
    for (const figure& each : figures) {
      std::printf("  %-14s %9.3f   %-8.8s %6u   %.1e%s\n", each.measured->name.data(), each.rate,
                  each.measured->unit.data(), each.measured->lines, each.error,
                  each.is_right() ? "" : "  WRONG");
    }
    std::printf("\n");
  }
  const bool right = std::ranges::all_of(figures, &figure::is_right);
  std::printf("hpcc: %s\n", right ? "right" : "WRONG: an error is above its limit");
  std::fflush(stdout);
}

void write_json(const std::vector<figure>& figures, const options& chosen) {
  nlohmann::json variants = nlohmann::json::array();
  for (const figure& each : figures) {
    variants.push_back({{"name", each.measured->name},
                        {"seconds", each.seconds},
                        {"rate", each.rate},
                        {"unit", each.measured->unit},
                        {"lines", each.measured->lines},
                        {"error", each.error},
                        {"right", each.is_right()}});
  }
  std::ofstream file(chosen.json_path);
  file << nlohmann::json{{"app", "hpcc"},
                         {"version", ATOLL_VERSION_STRING},
                         {"build", ATOLL_BUILD_STRING},
                         {"ranks", upcxx::rank_n()},
                         {"rounds", chosen.rounds},
                         {"stream_numbers", chosen.size.stream_numbers},
                         {"log2_words", chosen.size.log2_words},
                         {"log2_points", chosen.size.log2_points},
                         {"unknowns", chosen.size.unknowns},
                         {"block", chosen.size.block},
                         {"variants", variants}}
              .dump(2)
       << '\n';
  file.close();
  if (!file) {
    throw atl::error("--json " + chosen.json_path, "the file cannot be written",
                     "name a file in a folder that exists and may be written");
  }
}

void check_memory(const row& measured, const options& chosen) {
  const double available = static_cast<double>(atl::read_available_memory());
  const double host_ranks = upcxx::local_team().rank_n();
  const double needed = measured.bytes(chosen.size) / upcxx::rank_n() * host_ranks;
  const double lacking = upcxx::reduce_all(needed - available, upcxx::op_fast_max).wait();
  if (lacking <= 0) return;
  throw atl::error(std::string(measured.name), "it needs more memory than a host has now",
                   "use a smaller problem; see hpcc --help");
}

int run(const options& chosen) {
  const bool first = upcxx::rank_me() == 0;
  const trial::progress show_progress = trial::progress_on_terminal(first && !chosen.quiet);
  try {
    std::vector<figure> figures;
    for (const row& each : rows) {
      const bool named = std::ranges::count(chosen.kernels, each.name) != 0;
      if (!named && !chosen.kernels.empty()) continue;
      check_memory(each, chosen);
      figures.push_back(measure(each, chosen, show_progress));
    }
    show_progress("");
    if (first) print(figures, chosen);
    if (first && !chosen.json_path.empty()) write_json(figures, chosen);
    return std::ranges::all_of(figures, &figure::is_right) ? 0 : 1;
  } catch (const atl::error& refusal) {
    show_progress("");
    if (first) std::cerr << "hpcc: " << refusal.what() << '\n';
  } catch (const upcxx::bad_shared_alloc&) {
    show_progress("");
    if (first) {
      std::cerr
          << "hpcc: shared memory: a rank has no room for its part; use a smaller problem, or "
             "raise ATOLL_SEGMENT_LIMIT\n";
    }
  }
  return 2;
}

// The job ends as usual after --help and after a mistake; only rank 0 prints.
int parse_and_run(int argc, char** argv) {
  CLI::App app(
      "hpcc: four kernels of the HPC Challenge as short programs in UPC++: stream, random_access,\n"
      "fft and lu. Fails when a result is not right.\n\n    atoll run -n 2 hpcc --unknowns 2048");
  options chosen;
  add_options(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    if (upcxx::rank_me() == 0) std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& mistake) {
    if (upcxx::rank_me() == 0) std::cerr << "hpcc: " << mistake.what() << "; see hpcc --help\n";
    return 2;
  }
  return run(chosen);
}

}  // namespace
}  // namespace hpcc

int main(int argc, char** argv) {
  upcxx::init();
  const int exit_code = hpcc::parse_and_run(argc, argv);
  std::cout.flush();
  upcxx::finalize();
  return exit_code;
}
