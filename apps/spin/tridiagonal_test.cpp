// SPDX-License-Identifier: BSD-3-Clause
//
// The matrix of the discrete Laplace operator, whose eigenvalues and vectors are known, and a
// matrix whose last component is as small as a converged Lanczos iteration makes it.
#include <apps/spin/tridiagonal.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace spin {
namespace {

TEST(tridiagonal, eigenvalues_of_the_laplace_operator) {
  constexpr std::size_t size = 11;
  const std::vector<double> diagonal(size, 2.0);
  const std::vector<double> off_diagonal(size - 1, -1.0);
  for (std::size_t index = 0; index < size; ++index) {
    const double expected =
        2 - 2 * std::cos(std::numbers::pi * static_cast<double>(index + 1) / (size + 1));
    EXPECT_NEAR(tridiagonal_eigenvalue({diagonal, off_diagonal}, index), expected, 4e-15);
  }
}

TEST(tridiagonal, a_matrix_of_one_row) {
  const std::vector<double> diagonal = {-3.5};
  EXPECT_DOUBLE_EQ(tridiagonal_eigenvalue({diagonal, {}}, 0), -3.5);
  EXPECT_DOUBLE_EQ(last_component({diagonal, {}}, -3.5), 1.0);
}

TEST(tridiagonal, last_component_of_the_laplace_operator) {
  constexpr std::size_t size = 7;
  const std::vector<double> diagonal(size, 2.0);
  const std::vector<double> off_diagonal(size - 1, -1.0);
  const double lowest = tridiagonal_eigenvalue({diagonal, off_diagonal}, 0);
  const double expected = std::sin(std::numbers::pi / (size + 1)) / std::sqrt((size + 1) / 2.0);
  EXPECT_NEAR(last_component({diagonal, off_diagonal}, lowest), expected, 1e-13);
}

TEST(tridiagonal, a_tiny_last_component_keeps_its_digits) {
  // The first row lies far from the others: component i is about (-b / (d - lowest))^i.
  constexpr std::size_t size = 9;
  std::vector<double> diagonal(size, 0.0);
  diagonal[0] = -100;
  const std::vector<double> off_diagonal(size - 1, 1.0);
  const double lowest = tridiagonal_eigenvalue({diagonal, off_diagonal}, 0);
  EXPECT_NEAR(last_component({diagonal, off_diagonal}, lowest) * 1e16, 1.0, 0.01);
}

}  // namespace
}  // namespace spin
