// SPDX-License-Identifier: BSD-3-Clause
//
// The two factors, of noise, and Freivalds' check of their product: C x = A (B x) for a random x. A
// wrong element is found unless its factor in x is almost 0.
#pragma once

#include <apps/trial/ranges.hpp>
#include <apps/trial/trial.hpp>

#include <vector>

namespace matmul {

using trial::range;

enum class factor : std::uint8_t { a, b };

class problem {
 public:
  /// Computes A (B x); collective.
  problem(trial::group& ranks, std::size_t n);

  std::size_t n() const { return n_; }
  double element(factor part, std::size_t row, std::size_t column) const;
  /// Fills contiguous rows of a factor's block.
  void fill(factor part, range rows, range columns, double* values) const;

  /// Component `column` of x.
  double x(std::size_t column) const { return x_[column]; }
  /// The greatest difference of components, relative to the largest. `product` is this rank's part
  /// of C x, all n components of it: the sum over all ranks counts. Collective.
  double error(std::vector<double> product) const;
  /// The same for a block of C in contiguous rows. A rank without a part has an empty block.
  double error(range rows, range columns, const double* values) const;

 private:
  trial::group& ranks_;
  std::size_t n_;
  std::vector<double> x_;
  std::vector<double> expected_;
};

}  // namespace matmul
