// SPDX-License-Identifier: BSD-3-Clause
//
// A square matrix in ScaLAPACK's layout: square blocks, distributed cyclically over the squarest
// grid of all MPI ranks, with contiguous columns.
#pragma once

#include <array>
#include <cstddef>

namespace trial {

class block_cyclic {
 public:
  /// Call it after MPI_Init.
  block_cyclic(int n, int block);
  block_cyclic(const block_cyclic&) = delete;
  block_cyclic& operator=(const block_cyclic&) = delete;
  ~block_cyclic();

  /// The description of the matrix for ScaLAPACK's procedures.
  const int* descriptor() const { return descriptor_.data(); }
  /// Numbers of this rank's part, at least one.
  std::size_t size() const;

  /// Calls `visit(row, column, index)` for this rank's elements, in the order of memory.
  template <class Visit>
  void for_elements(Visit visit) const {
    std::size_t index = 0;
    for (int j = 0; j < columns_; ++j)
      for (int i = 0; i < rows_; ++i)
        visit(global(i, row_, grid_rows_), global(j, column_, grid_columns_), index++);
  }

 private:
  // The global index of the element with index `local` along a dimension of the grid.
  std::size_t global(int local, int place, int places) const {
    return static_cast<std::size_t>((local / block_ * places + place) * block_ + local % block_);
  }

  int block_;
  int context_ = 0;
  int grid_rows_ = 1, grid_columns_ = 1, row_ = 0, column_ = 0;
  int rows_ = 0, columns_ = 0;  // of this rank's part
  std::array<int, 9> descriptor_{};
};

}  // namespace trial
