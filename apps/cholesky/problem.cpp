// SPDX-License-Identifier: BSD-3-Clause
//
// The matrix is computed element by element from the index, so A x needs no stored matrix.
#include <apps/cholesky/problem.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/noise.hpp>
#include <apps/trial/ranges.hpp>

#include <algorithm>
#include <cmath>

namespace cholesky {

problem::problem(trial::group& ranks, std::size_t n) : ranks_(ranks), n_(n), x_(n), expected_(n) {
  for (std::size_t i = 0; i < n; ++i) x_[i] = trial::noise(n * n + i);
  const trial::range share = trial::part_of(n, ranks.size(), ranks.rank());
  for (std::size_t row = share.first; row < share.end(); ++row)
    for (std::size_t k = 0; k < n; ++k) expected_[row] += element(row, k) * x_[k];
  ranks.add(expected_);
}

double problem::element(std::size_t row, std::size_t column) const {
  const double own = row == column ? static_cast<double>(n_) : 0;
  return own + trial::noise(std::max(row, column) * n_ + std::min(row, column));
}

double problem::error(const elements& factor) const {
  std::vector<double> inner(n_);
  factor(
      [&](std::size_t row, std::size_t column, double value) { inner[column] += value * x_[row]; });
  ranks_.add(inner);
  std::vector<double> product(n_);
  factor([&](std::size_t row, std::size_t column, double value) {
    product[row] += value * inner[column];
  });
  ranks_.add(product);
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    largest = std::max(largest, std::abs(expected_[i]));
    difference = trial::larger_error(difference, std::abs(product[i] - expected_[i]));
  }
  return difference / largest;
}

}  // namespace cholesky
