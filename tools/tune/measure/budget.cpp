// SPDX-License-Identifier: BSD-3-Clause
//
// Adds up the rounds of candidates until the time for a point is used. The candidates come with the
// fastest first, so those that are left out are the ones that would take most of the time and are
// least likely to win.
#include <tools/tune/measure/budget.hpp>

#include <algorithm>

namespace atl::tune {

std::size_t candidates_within(std::span<const double> round_ns, unsigned rounds, double seconds,
                              std::size_t least) {
  double left_ns = seconds * 1e9;
  std::size_t count = 0;
  while (count < round_ns.size() && left_ns >= rounds * round_ns[count]) {
    left_ns -= rounds * round_ns[count];
    ++count;
  }
  return std::min(std::max(count, least), round_ns.size());
}

}  // namespace atl::tune
