// SPDX-License-Identifier: BSD-3-Clause
//
// Freivalds' check: it passes the right product, and refuses one with a single wrong element or a
// single one that is not a number, at the first place and at the last.
#include <apps/matmul/problem.hpp>
#include <apps/trial/one_rank.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using matmul::factor;

constexpr std::size_t n = 7;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double limit = 1e-11;

std::vector<double> product_of(const matmul::problem& problem) {
  std::vector<double> product(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        product[i * n + j] += problem.element(factor::a, i, k) * problem.element(factor::b, k, j);
  return product;
}

TEST(matmul_problem, checks_every_element_of_the_product) {
  trial::one_rank alone;
  const matmul::problem problem(alone, n);
  const std::vector<double> right = product_of(problem);
  const auto error_with = [&](std::size_t place, double wrong) {
    std::vector<double> product = right;
    product[place] += wrong;
    return problem.error({0, n}, {0, n}, product.data());
  };
  EXPECT_LE(error_with(0, 0), limit);
  for (const std::size_t place : {std::size_t{0}, n * n - 1}) {
    EXPECT_GT(error_with(place, 1e-6), limit) << place;
    EXPECT_FALSE(error_with(place, not_a_number) <= limit) << place;
  }
}

}  // namespace
