// SPDX-License-Identifier: BSD-3-Clause
//
// Adds up the rounds of candidates until the time for a point is used. The candidates come with the
// fastest first, so those that are left out are the ones that would take most of the time and are
// least likely to win.
#include <tools/tune/measure/budget.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

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

std::vector<std::size_t> order_of_round(std::size_t count, unsigned round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::minstd_rand chance(round + 1);
  for (std::size_t left = count; left > 1; --left)
    std::swap(order[left - 1], order[chance() % left]);
  return order;
}

}  // namespace atl::tune
