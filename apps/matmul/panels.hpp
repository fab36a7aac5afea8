// SPDX-License-Identifier: BSD-3-Clause
//
// Panels, in which SUMMA goes through the inner dimension. Columns of A are divided over the grid's
// columns and rows of B over its rows, and these divisions differ unless the grid is square: a
// panel ends where either does.
#pragma once

#include <apps/trial/ranges.hpp>

#include <vector>

namespace matmul {

using trial::range;

struct panel {
  range inner;           // columns of A, rows of B
  unsigned column = 0;   // of the grid, whose ranks have these columns of A
  std::size_t in_a = 0;  // their first, in a block of A
  unsigned row = 0;      // of the grid, whose ranks have these rows of B
  std::size_t in_b = 0;  // their first, in a block of B
};

/// The layers of the 2.5-dimensional variant: the smallest number above 1 that divides the ranks.
unsigned layers_of(unsigned ranks);

/// Panels of at most `width`, for the part `inner` of n.
std::vector<panel> panels_of(std::size_t n, trial::grid ranks, range inner, std::size_t width);

}  // namespace matmul
