// SPDX-License-Identifier: BSD-3-Clause
//
// Division of a length among parts that differ by one at most, and of ranks over a grid that is as
// square as their number allows.
#pragma once

#include <cstddef>

namespace trial {

struct range {
  std::size_t first = 0;
  std::size_t count = 0;

  std::size_t end() const { return first + count; }
};

/// Part `index` of `length` in `parts`; parts beyond the length are empty.
constexpr range part_of(std::size_t length, std::size_t parts, std::size_t index) {
  const std::size_t first = length * index / parts;
  return {first, length * (index + 1) / parts - first};
}

/// The part that an element is in.
constexpr std::size_t owner_of(std::size_t length, std::size_t parts, std::size_t element) {
  return ((element + 1) * parts - 1) / length;
}

struct grid {
  unsigned rows = 1;
  unsigned columns = 1;
};

/// The squarest grid, with at most as many rows as columns; 1 x n for a prime number.
constexpr grid square_grid(unsigned ranks) {
  unsigned rows = 1;
  for (unsigned each = 1; each * each <= ranks; ++each)
    if (ranks % each == 0) rows = each;
  return {rows, ranks / rows};
}

}  // namespace trial
