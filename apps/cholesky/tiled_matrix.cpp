// SPDX-License-Identifier: BSD-3-Clause
//
// All ranks store tiles in the same order and of the same size, so a tile's place follows from its
// indices.
#include <apps/cholesky/tiled_matrix.hpp>
#include <atoll/base/rounding.hpp>

#include <algorithm>

namespace cholesky {

tiled_matrix::tiled_matrix(const problem& problem, std::size_t tile_size)
    : problem_(problem),
      size_(tile_size),
      count_(atl::pieces_of(problem.n(), tile_size)),
      grid_(trial::square_grid(static_cast<unsigned>(upcxx::rank_n()))),
      local_columns_(atl::pieces_of(count_, grid_.columns)) {
  const std::size_t local_rows = atl::pieces_of(count_, grid_.rows);
  const std::size_t elements = local_rows * local_columns_ * tile_elements();
  const auto first = upcxx::new_array<double>(elements, std::nothrow);
  const upcxx::dist_object<upcxx::global_ptr<double>> bases(first);
  for (int rank = 0; rank < upcxx::rank_n(); ++rank) first_.push_back(bases.fetch(rank).wait());
  upcxx::barrier();  // all ranks have fetched
  if (std::ranges::count(first_, nullptr) != 0) {
    upcxx::delete_array(first);
    throw upcxx::bad_shared_alloc(elements * sizeof(double));
  }
}

tiled_matrix::~tiled_matrix() {
  upcxx::delete_array(first_[static_cast<std::size_t>(upcxx::rank_me())]);
}

std::vector<int> tiled_matrix::readers(std::size_t i, std::size_t j) const {
  std::vector<int> found;
  const auto add = [&](std::size_t row, std::size_t column) {
    const int rank = owner(row, column);
    if (rank != upcxx::rank_me() && std::find(found.begin(), found.end(), rank) == found.end())
      found.push_back(rank);
  };
  if (i == j) {
    for (std::size_t below = j + 1; below < std::min(count_, j + 1 + grid_.rows); ++below)
      add(below, j);
    return found;
  }
  for (std::size_t column = j + 1; column <= std::min(i, j + grid_.columns); ++column)
    add(i, column);
  for (std::size_t row = i; row < std::min(count_, i + grid_.rows); ++row) add(row, i);
  return found;
}

upcxx::global_ptr<double> tiled_matrix::place(std::size_t i, std::size_t j) const {
  const std::size_t local = i / grid_.rows * local_columns_ + j / grid_.columns;
  return first_[static_cast<std::size_t>(owner(i, j))] +
         static_cast<std::ptrdiff_t>(local * tile_elements());
}

tile<double> tiled_matrix::own(std::size_t i, std::size_t j) const {
  return {place(i, j).local(), length(i), length(j), size_};
}

std::size_t tiled_matrix::length(std::size_t index) const {
  return std::min(size_, problem_.n() - index * size_);
}

// Calls `visit(row, column, element)` for each element on or below the diagonal that this rank has.
template <class Visit>
void tiled_matrix::for_own(Visit visit) const {
  for (std::size_t i = 0; i < count_; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      if (!owns(i, j)) continue;
      const tile<double> local = own(i, j);
      for (std::size_t column = 0; column < local.columns; ++column)
        for (std::size_t row = i == j ? column : 0; row < local.rows; ++row)
          visit(i * size_ + row, j * size_ + column, local.values[column * size_ + row]);
    }
  }
}

void tiled_matrix::fill() {
  for_own([&](std::size_t row, std::size_t column, double& value) {
    value = problem_.element(row, column);
  });
}

double tiled_matrix::error() const {
  return problem_.error([&](const problem::visit& visit) { for_own(visit); });
}

}  // namespace cholesky
