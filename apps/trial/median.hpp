// SPDX-License-Identifier: BSD-3-Clause
//
// The middle of the times of several rounds, the same in all apps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace trial {

/// The mean of the middle two when there is an even number of values; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 != 0 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace trial
