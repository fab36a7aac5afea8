// SPDX-License-Identifier: BSD-3-Clause
//
// The blocks of A, B and C that a rank of a grid has, and the teams of its row and its column.
// Blocks lie in memory that others read; all ranks reserve the largest size, so that blocks have
// equal offsets.
#pragma once

#include <apps/matmul/local_product.hpp>
#include <apps/matmul/panels.hpp>
#include <apps/matmul/problem.hpp>
#include <apps/trial/arena.hpp>
#include <apps/trial/own_team.hpp>
#include <atoll/base/rounding.hpp>

#include <algorithm>

namespace matmul {

struct blocks {
  /// A grid of the members of `members`, row after row.
  blocks(atl::team& members, const problem& problem, trial::grid size)
      : ranks(size),
        row(members.rank() / size.columns),
        column(members.rank() % size.columns),
        rows(trial::part_of(problem.n(), size.rows, row)),
        columns(trial::part_of(problem.n(), size.columns, column)),
        memory(members, 3 * trial::arena::bytes_of(largest(problem.n()), sizeof(double))),
        a(memory.take<double>(largest(problem.n()))),
        b(memory.take<double>(largest(problem.n()))),
        c(memory.take<double>(largest(problem.n()))),
        row_team(trial::split(members, row, column)),
        column_team(trial::split(members, column, row)) {
    problem.fill(factor::a, rows, columns, a);
    problem.fill(factor::b, rows, columns, b);
  }

  std::size_t largest(std::size_t n) const {
    return atl::pieces_of(n, ranks.rows) * atl::pieces_of(n, ranks.columns);
  }
  /// Columns of the blocks of a column of the grid.
  std::size_t width(std::size_t n, unsigned grid_column) const {
    return trial::part_of(n, ranks.columns, grid_column).count;
  }
  void clear_product() { std::fill_n(c, rows.count * columns.count, 0.0); }

  trial::grid ranks;
  unsigned row;
  unsigned column;
  range rows;
  range columns;
  trial::arena memory;
  double* a;
  double* b;
  double* c;
  trial::own_team row_team;
  trial::own_team column_team;
};

/// A panel of A and one of B, as a rank multiplies them.
struct operands {
  rows_of<const double> a;
  rows_of<const double> b;
};

/// Room for panels that come from other ranks.
struct panel_buffer {
  panel_buffer(const blocks& of_rank, std::size_t width)
      : a(of_rank.rows.count * width), b(width * of_rank.columns.count) {}

  std::vector<double> a;
  std::vector<double> b;
};

}  // namespace matmul
