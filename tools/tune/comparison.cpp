// SPDX-License-Identifier: BSD-3-Clause
//
// Compares algorithms by rounds. The error is estimated from the halves of all passes and from the
// passes, and the larger one counts: rounds that follow each other depend on each other, because
// the machine changes slowly, and passes are minutes apart.
#include <tools/tune/comparison.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace atl::tools {

double log_ratio(std::span<const double> times, std::span<const double> base, std::size_t step) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.size(); i += step)
    ratios.push_back(std::log(times[i] / base[i]));
  std::ranges::sort(ratios);
  const std::size_t quarter = ratios.size() / 4;
  double sum = 0;
  for (std::size_t i = quarter; i < ratios.size() - quarter; ++i) sum += ratios[i];
  return sum / static_cast<double>(ratios.size() - 2 * quarter);
}

namespace {

double mean_of(std::span<const double> samples) {
  double sum = 0;
  for (const double each : samples) sum += each;
  return sum / static_cast<double>(samples.size());
}

/// The standard error of the mean; 0 where one sample says nothing of it.
double error_of(std::span<const double> samples) {
  const auto count = static_cast<double>(samples.size());
  if (samples.size() < 2) return 0;
  const double mean = mean_of(samples);
  double squares = 0;
  for (const double each : samples) squares += std::pow(each - mean, 2);
  return std::sqrt(squares / (count - 1) / count);
}

}  // namespace

std::optional<comparison> compare(const tune_passes& point, const std::string& algorithm) {
  constexpr std::size_t rounds_least = 4;
  std::vector<double> halves;
  std::vector<double> passes;
  for (const tune_record& each : point) {
    const auto times = each.times_ns.find(algorithm);
    const auto base = each.times_ns.find(point.front().built_in);
    if (times == each.times_ns.end() || base == each.times_ns.end()) return {};
    const std::size_t rounds = rounds_of(each);
    const std::size_t both = std::min(times->second.size(), base->second.size());
    if (rounds < rounds_least || both < rounds) return {};
    const std::span<const double> counted = std::span(times->second).first(rounds);
    const std::span<const double> usual = std::span(base->second).first(rounds);
    halves.push_back(log_ratio(counted.first(rounds / 2), usual));
    halves.push_back(log_ratio(counted.subspan(rounds / 2), usual.subspan(rounds / 2)));
    passes.push_back(mean_of(std::span(halves).last(2)));
  }
  comparison found;
  found.log_mean = mean_of(passes);
  found.error = std::max(error_of(halves), error_of(passes));
  return found;
}

}  // namespace atl::tools
