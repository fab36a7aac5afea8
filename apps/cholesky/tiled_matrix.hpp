// SPDX-License-Identifier: BSD-3-Clause
//
// A symmetric matrix in square tiles, distributed cyclically over a grid of ranks: tile (i, j) is
// at row i and column j of the grid, modulo its size. Only tiles on and below the diagonal are
// used. They lie in shared memory, so every rank has a global pointer to every tile.
#pragma once

#include <apps/cholesky/problem.hpp>
#include <apps/cholesky/tiles.hpp>
#include <apps/trial/ranges.hpp>
#include <upcxx/upcxx.hpp>

#include <vector>

namespace cholesky {

class tiled_matrix {
 public:
  /// Collective; throws `upcxx::bad_shared_alloc` on all ranks when one has no memory.
  tiled_matrix(const problem& problem, std::size_t tile_size);
  tiled_matrix(const tiled_matrix&) = delete;
  tiled_matrix& operator=(const tiled_matrix&) = delete;
  ~tiled_matrix();

  /// Tiles in a row or column.
  std::size_t count() const { return count_; }
  std::size_t tile_elements() const { return size_ * size_; }
  int owner(std::size_t i, std::size_t j) const {
    return static_cast<int>(i % grid_.rows * grid_.columns + j % grid_.columns);
  }
  bool owns(std::size_t i, std::size_t j) const { return owner(i, j) == upcxx::rank_me(); }
  /// The other ranks that need tile (i, j) of the factor for their tiles.
  std::vector<int> readers(std::size_t i, std::size_t j) const;

  upcxx::global_ptr<double> place(std::size_t i, std::size_t j) const;
  tile<double> own(std::size_t i, std::size_t j) const;
  /// A view of tile (i, j) at `values`, where it lies or has been fetched to.
  tile<const double> view(std::size_t i, std::size_t j, const double* values) const {
    return {values, length(i), length(j), size_};
  }

  /// Fills this rank's tiles with the matrix.
  void fill();
  /// Collective.
  double error() const;

 private:
  std::size_t length(std::size_t index) const;
  template <class Visit>
  void for_own(Visit visit) const;

  const problem& problem_;
  std::size_t size_;
  std::size_t count_;
  trial::grid grid_;
  std::size_t local_columns_;
  std::vector<upcxx::global_ptr<double>> first_;  // by rank
};

}  // namespace cholesky
