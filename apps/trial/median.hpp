// SPDX-License-Identifier: BSD-3-Clause
//
// The median of several rounds, the same in all apps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace trial {

/// The median; the mean of the middle two when the number of values is even; 0 without values.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace trial
