// SPDX-License-Identifier: BSD-3-Clause
//
// The distance in edits, over three rolling rows of the usual matrix: a swap of neighbours looks
// two rows back.
#include <atoll/base/nearest.hpp>

#include <algorithm>
#include <array>

namespace atl {

std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  constexpr std::size_t longest = 48;
  a = a.substr(0, longest);
  b = b.substr(0, longest);
  std::array<std::size_t, longest + 1> second_last{}, last{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], second_last[j - 2] + 1);
    }
    second_last = last;
    last = row;
  }
  return last[b.size()];
}

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t fewest = name.size() / 2 + 1;
  for (const auto& candidate : candidates) {
    const std::size_t edits = edit_distance(name, candidate);
    if (edits >= fewest) continue;
    fewest = edits;
    best = candidate;
  }
  return best;
}

}  // namespace atl
