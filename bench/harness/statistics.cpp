// SPDX-License-Identifier: BSD-3-Clause
//
// Medians by sorting a copy: there are at most some hundred samples, and this runs after the
// measuring.
#include <bench/harness/statistics.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace bench {

double median_of(std::span<const double> samples) {
  if (samples.empty()) return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 != 0) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

summary summarize(std::span<const double> samples) {
  if (samples.empty()) return {};
  const double median = median_of(samples);
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples) deviations.push_back(std::abs(sample - median));
  const auto [least, most] = std::ranges::minmax(samples);
  return {.median = median, .mad = median_of(deviations), .min = least, .max = most};
}

}  // namespace bench
