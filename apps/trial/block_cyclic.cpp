// SPDX-License-Identifier: BSD-3-Clause
//
// Declares the Fortran procedures of ScaLAPACK, which has no header for C, and calls of BLACS.
#include <apps/trial/block_cyclic.hpp>
#include <apps/trial/ranges.hpp>

#include <algorithm>

extern "C" {
void Cblacs_pinfo(int* rank, int* size);
void Cblacs_get(int context, int request, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
int numroc_(const int* n, const int* block, const int* place, const int* first, const int* places);
void descinit_(int* descriptor, const int* m, const int* n, const int* row_block,
               const int* column_block, const int* first_row, const int* first_column,
               const int* context, const int* stride, int* info);
}

namespace trial {

block_cyclic::block_cyclic(int n, int block) : block_(block) {
  constexpr int zero = 0;
  int rank = 0;
  int size = 1;
  Cblacs_pinfo(&rank, &size);
  const grid shape = square_grid(static_cast<unsigned>(size));
  Cblacs_get(-1, 0, &context_);
  Cblacs_gridinit(&context_, "Row-major", static_cast<int>(shape.rows),
                  static_cast<int>(shape.columns));
  Cblacs_gridinfo(context_, &grid_rows_, &grid_columns_, &row_, &column_);
  rows_ = numroc_(&n, &block_, &row_, &zero, &grid_rows_);
  columns_ = numroc_(&n, &block_, &column_, &zero, &grid_columns_);
  const int stride = std::max(1, rows_);
  int info = 0;
  descinit_(descriptor_.data(), &n, &n, &block_, &block_, &zero, &zero, &context_, &stride, &info);
}

block_cyclic::~block_cyclic() { Cblacs_gridexit(context_); }

std::size_t block_cyclic::size() const {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_));
}

}  // namespace trial
