// SPDX-License-Identifier: BSD-3-Clause
//
// The matrix, symmetric noise with n on its diagonal, hence positive definite; and the check of its
// factor by a random vector: A x = L (L^T x).
#pragma once

#include <apps/trial/trial.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace cholesky {

class problem {
 public:
  /// Computes A x; collective.
  problem(trial::group& ranks, std::size_t n);

  std::size_t n() const { return n_; }
  double element(std::size_t row, std::size_t column) const;

  /// Called with row, column and value of each element of L that a rank has, on or below the
  /// diagonal.
  using visit = std::function<void(std::size_t row, std::size_t column, double value)>;
  using elements = std::function<void(const visit&)>;
  /// The greatest difference of components, relative to the largest; collective.
  double error(const elements& factor) const;

 private:
  trial::group& ranks_;
  std::size_t n_;
  std::vector<double> x_;
  std::vector<double> expected_;
};

}  // namespace cholesky
