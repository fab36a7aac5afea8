// SPDX-License-Identifier: BSD-3-Clause
//
// The check. Each rank computes its share of rows of a factor again, so this takes no memory.
#include <apps/matmul/problem.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/noise.hpp>

#include <algorithm>
#include <cmath>

namespace matmul {

problem::problem(trial::group& ranks, std::size_t n) : ranks_(ranks), n_(n), x_(n), expected_(n) {
  for (std::size_t i = 0; i < n; ++i) x_[i] = trial::noise(2 * n * n + i);
  const range share = trial::part_of(n, ranks.size(), ranks.rank());
  const auto times = [&](factor part, const std::vector<double>& vector) {
    std::vector<double> result(n);
    for (std::size_t row = share.first; row < share.end(); ++row)
      for (std::size_t k = 0; k < n; ++k) result[row] += element(part, row, k) * vector[k];
    ranks.add(result);
    return result;
  };
  expected_ = times(factor::a, times(factor::b, x_));
}

double problem::element(factor part, std::size_t row, std::size_t column) const {
  return trial::noise((part == factor::b ? n_ * n_ : 0) + row * n_ + column);
}

void problem::fill(factor part, range rows, range columns, double* values) const {
  for (std::size_t row = rows.first; row < rows.end(); ++row)
    for (std::size_t column = columns.first; column < columns.end(); ++column)
      *values++ = element(part, row, column);
}

double problem::error(std::vector<double> product) const {
  ranks_.add(product);
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    largest = std::max(largest, std::abs(expected_[i]));
    difference = trial::larger_error(difference, std::abs(product[i] - expected_[i]));
  }
  return difference / largest;
}

double problem::error(range rows, range columns, const double* values) const {
  std::vector<double> product(n_);
  for (std::size_t row = rows.first; row < rows.end(); ++row)
    for (std::size_t column = columns.first; column < columns.end(); ++column)
      product[row] += *values++ * x_[column];
  return error(std::move(product));
}

}  // namespace matmul
