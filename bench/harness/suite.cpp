// SPDX-License-Identifier: BSD-3-Clause
//
// The rounds, the table and the JSON file. Times are kept per operation, in nanoseconds; bandwidth
// is computed from them when it is printed, so ratios are always ratios of times.
#include <bench/harness/suite.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace bench {

namespace {

constexpr std::uint64_t quick_divisor = 100;
constexpr double round_ns_max = 1e6;  // of one case
constexpr double round_ns_min = 1e5;
constexpr double operations_max = 1e6;
constexpr std::uint64_t growth = 4;        // of the trials that fit the number of operations
constexpr std::uint64_t fit_factor = 2;    // a trial of half a round is long enough
constexpr unsigned rounds_within_min = 3;  // whatever --seconds says
constexpr unsigned rounds_expected = 12;

nlohmann::json to_json(const summary& statistics) {
  return {{"median", statistics.median},
          {"mad", statistics.mad},
          {"min", statistics.min},
          {"max", statistics.max}};
}

/// Whether a name contains one of the parts of `only`, which commas separate; of nothing, always.
bool is_wanted(const std::string& name, const std::string& only) {
  for (std::size_t begin = 0;;) {
    const std::size_t comma = only.find(',', begin);
    if (name.find(only.substr(begin, comma - begin)) != std::string::npos) return true;
    if (comma == std::string::npos) return false;
    begin = comma + 1;
  }
}

double gigabytes_per_second(std::size_t bytes, double time_ns) {
  return time_ns > 0 ? static_cast<double>(bytes) / time_ns : 0;
}

}  // namespace

suite::suite(suite_title title, options chosen, std::function<void()> synchronize)
    : title_(std::move(title)), options_(std::move(chosen)), synchronize_(std::move(synchronize)) {}

void suite::add(bench_case new_case) {
  if (!is_wanted(new_case.name, options_.only)) return;
  if (options_.quick)
    new_case.operations = std::max<std::uint64_t>(1, new_case.operations / quick_divisor);
  cases_.push_back({.definition = std::move(new_case), .samples_ns = {}});
}

void suite::compare(ratio new_ratio) { ratios_.push_back(std::move(new_ratio)); }

void suite::add_fact(fact new_fact) { facts_.push_back(std::move(new_fact)); }

void suite::fit(std::function<std::uint64_t(std::uint64_t)> agree) { agree_ = std::move(agree); }

void suite::run() {
  std::erase_if(ratios_,
                [&](const ratio& r) { return !find(r.numerator) || !find(r.denominator); });
  const stopwatch since;
  if (agree_ && !options_.quick) fit_operations();
  round(false);
  for (rounds_ = 0; rounds_ < options_.rounds_to_run(); ++rounds_) {
    if (rounds_ >= rounds_within_min && time_is_over(since)) break;
    round(true);
  }
  synchronize_();
  if (!reports()) return;
  print();
  if (!options_.json_file.empty()) write_json();
}

void suite::round(bool counted) {
  for (measured& each : cases_) {
    synchronize_();
    const double taken_ns = each.definition.run(each.definition.operations);
    if (counted)
      each.samples_ns.push_back(taken_ns / static_cast<double>(each.definition.operations));
  }
}

void suite::fit_operations() {
  double round_ns = round_ns_max;
  if (options_.seconds > 0) {
    const double parts = static_cast<double>(cases_.size()) * rounds_expected;
    round_ns = std::clamp(1e9 * options_.seconds / parts, round_ns_min, round_ns_max);
  }
  for (measured& each : cases_) fit_case(each, round_ns);
}

// Tries more and more operations, until the number that fits is not much larger than the number
// tried: a short trial that was interrupted, or that started slowly, makes its operations look
// slow. A trial that lasts far too long ends the search.
void suite::fit_case(measured& fitted, double round_ns) const {
  const std::uint64_t least = std::max<std::uint64_t>(1, fitted.definition.operations_least);
  synchronize_();
  fitted.definition.run(least);  // touches its memory, so the first trial does not count that
  for (std::uint64_t count = least;;) {
    synchronize_();
    const double taken_ns = std::max(1.0, fitted.definition.run(count));
    const auto agreed_ns = static_cast<double>(agree_(static_cast<std::uint64_t>(taken_ns)));
    const double fitting = round_ns / agreed_ns * static_cast<double>(count);
    const auto fits = static_cast<std::uint64_t>(std::clamp(fitting, 1.0, operations_max));
    if (fits < fit_factor * count || static_cast<double>(count * growth) > operations_max) {
      fitted.definition.operations = std::max(fits, least);
      return;
    }
    count *= growth;
  }
}

bool suite::time_is_over(const stopwatch& since) const {
  if (!agree_ || options_.seconds <= 0) return false;
  return agree_(since.elapsed_ns() > 1e9 * options_.seconds ? 1 : 0) != 0;
}

const suite::measured* suite::find(const std::string& name) const noexcept {
  const auto found =
      std::ranges::find(cases_, name, [](const measured& m) { return m.definition.name; });
  return found == cases_.end() ? nullptr : &*found;
}

std::vector<double> suite::ratios_of(const ratio& compared) const {
  const measured& numerator = *find(compared.numerator);
  const measured& denominator = *find(compared.denominator);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < numerator.samples_ns.size(); ++i) {
    ratios.push_back(numerator.samples_ns[i] / denominator.samples_ns[i]);
  }
  return ratios;
}

void suite::print() const {
  std::printf("%s, %s, %u ranks, %u rounds%s\n", title_.benchmark.c_str(),
              title_.implementation.c_str(), title_.ranks, rounds_,
              options_.quick ? " (quick: the figures mean nothing)" : "");
  std::printf("  %-34s %12s %10s %12s %12s %9s\n", "ns per operation", "median", "MAD", "min",
              "max", "GB/s");
  for (const measured& each : cases_) {
    const summary statistics = summarize(each.samples_ns);
    std::printf("  %-34s %12.1f %10.1f %12.1f %12.1f", each.definition.name.c_str(),
                statistics.median, statistics.mad, statistics.min, statistics.max);
    if (each.definition.bytes != 0) {
      std::printf(" %9.2f", gigabytes_per_second(each.definition.bytes, statistics.median));
    }
    std::printf("\n");
  }
  for (const ratio& each : ratios_) {
    const summary statistics = summarize(ratios_of(each));
    std::printf("  %s / %s = %.2f (MAD %.2f, %.2f to %.2f)", each.numerator.c_str(),
                each.denominator.c_str(), statistics.median, statistics.mad, statistics.min,
                statistics.max);
    if (each.at_most != 0) {
      std::printf(", wanted at most %.2f: %s", each.at_most,
                  statistics.median <= each.at_most ? "met" : "NOT met");
    }
    std::printf("\n");
  }
  for (const fact& each : facts_) {
    std::printf("  %s: %.0f %s\n", each.name.c_str(), each.value, each.unit.c_str());
  }
}

void suite::write_json() const {
  nlohmann::json file{{"benchmark", title_.benchmark},
                      {"implementation", title_.implementation},
                      {"ranks", title_.ranks},
                      {"rounds", rounds_},
                      {"quick", options_.quick},
                      {"cases", nlohmann::json::array()},
                      {"ratios", nlohmann::json::array()},
                      {"facts", nlohmann::json::array()}};
  for (const measured& each : cases_) {
    const summary statistics = summarize(each.samples_ns);
    nlohmann::json row{{"name", each.definition.name},
                       {"operations", each.definition.operations},
                       {"time_ns", to_json(statistics)}};
    if (each.definition.bytes != 0) {
      row["bytes"] = each.definition.bytes;
      row["bandwidth_gb_s"] = gigabytes_per_second(each.definition.bytes, statistics.median);
    }
    if (!each.definition.operation.empty()) row["operation"] = each.definition.operation;
    file["cases"].push_back(std::move(row));
  }
  for (const ratio& each : ratios_) {
    nlohmann::json row{{"over", each.numerator}, {"under", each.denominator}};
    row["ratio"] = to_json(summarize(ratios_of(each)));
    if (each.at_most != 0) row["at_most"] = each.at_most;
    file["ratios"].push_back(std::move(row));
  }
  for (const fact& each : facts_) {
    file["facts"].push_back({{"name", each.name}, {"value", each.value}, {"unit", each.unit}});
  }
  std::ofstream out(options_.json_file);
  out << file.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write '" + options_.json_file + "'");
}

}  // namespace bench
