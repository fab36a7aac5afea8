// SPDX-License-Identifier: BSD-3-Clause
//
// Bisection on the number of eigenvalues below x, which is the number of negative pivots when
// T - x is factored from the top (Sturm; Givens 1954). The last component of the lowest vector
// comes from the pivots from the bottom: below the first row they belong to trailing matrices,
// whose eigenvalues lie well above the lowest one, so no pivot suffers from cancellation. (From the
// top they would, once the Ritz value has converged.)
#include <apps/spin/tridiagonal.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace spin {
namespace {

std::size_t count_below(tridiagonal matrix, double x) {
  std::size_t count = 0;
  double pivot = 1;
  for (std::size_t row = 0; row < matrix.diagonal.size(); ++row) {
    const double b = row == 0 ? 0 : matrix.off_diagonal[row - 1];
    pivot = matrix.diagonal[row] - x - b * b / pivot;
    if (pivot == 0) pivot = -std::numeric_limits<double>::min();
    if (pivot < 0) ++count;
  }
  return count;
}

// Half the width of an interval around 0 that holds all eigenvalues (Gershgorin).
double reach(tridiagonal matrix) {
  double widest = 0;
  const std::size_t size = matrix.diagonal.size();
  for (std::size_t row = 0; row < size; ++row) {
    const double previous = row == 0 ? 0 : std::abs(matrix.off_diagonal[row - 1]);
    const double next = row + 1 == size ? 0 : std::abs(matrix.off_diagonal[row]);
    widest = std::max(widest, std::abs(matrix.diagonal[row]) + previous + next);
  }
  return widest;
}

}  // namespace

double tridiagonal_eigenvalue(tridiagonal matrix, std::size_t index) {
  double high = reach(matrix) * (1 + 1e-12) + std::numeric_limits<double>::min();
  double low = -high;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (count_below(matrix, middle) > index ? high : low) = middle;
  }
}

double last_component(tridiagonal matrix, double lowest) {
  const std::size_t size = matrix.diagonal.size();
  std::vector<double> pivots(size);
  for (std::size_t row = size; row-- > 1;) {
    pivots[row] = matrix.diagonal[row] - lowest;
    if (row + 1 < size) {
      const double b = matrix.off_diagonal[row];
      pivots[row] -= b * b / pivots[row + 1];
    }
  }
  double component = 1;
  double sum_of_squares = 1;
  for (std::size_t row = 1; row < size; ++row) {
    component *= -matrix.off_diagonal[row - 1] / pivots[row];
    sum_of_squares += component * component;
  }
  return std::abs(component) / std::sqrt(sum_of_squares);
}

}  // namespace spin
