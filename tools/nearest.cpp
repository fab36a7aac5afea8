// SPDX-License-Identifier: BSD-3-Clause
//
// Edit distance (insert, delete, replace), one row of the table at a time. Words of a command line
// are short, so the simple way is fast enough; a candidate that differs in half of the word or more
// is no help and is not named.
#include <tools/nearest.hpp>

#include <algorithm>
#include <numeric>

namespace atl::tools {
namespace {

std::size_t edits(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = word.size() / 2 + 1;
  for (const auto& candidate : candidates) {
    const auto count = edits(word, candidate);
    if (count < fewest) {
      fewest = count;
      best = candidate;
    }
  }
  return best;
}

}  // namespace atl::tools
