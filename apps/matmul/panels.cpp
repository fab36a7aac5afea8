// SPDX-License-Identifier: BSD-3-Clause
//
// Divides the inner dimension into panels, each as wide as the limit and the blocks of both factors
// allow; so they cover the dimension once, and each has one owner for A and one for B.
#include <apps/matmul/panels.hpp>

#include <algorithm>

namespace matmul {

unsigned layers_of(unsigned ranks) {
  for (unsigned count = 2; count * count <= ranks; ++count)
    if (ranks % count == 0) return count;
  return ranks;
}

std::vector<panel> panels_of(std::size_t n, trial::grid ranks, range inner, std::size_t width) {
  std::vector<panel> panels;
  for (std::size_t first = inner.first; first < inner.end();) {
    const std::size_t column = trial::owner_of(n, ranks.columns, first);
    const std::size_t row = trial::owner_of(n, ranks.rows, first);
    const range of_a = trial::part_of(n, ranks.columns, column);
    const range of_b = trial::part_of(n, ranks.rows, row);
    const std::size_t end = std::min({first + width, of_a.end(), of_b.end(), inner.end()});
    panels.push_back({.inner = {first, end - first},
                      .column = static_cast<unsigned>(column),
                      .in_a = first - of_a.first,
                      .row = static_cast<unsigned>(row),
                      .in_b = first - of_b.first});
    first = end;
  }
  return panels;
}

}  // namespace matmul
