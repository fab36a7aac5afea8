// SPDX-License-Identifier: BSD-3-Clause
//
// The check of a factor: it passes the right one, and refuses one with a single wrong element or a
// single one that is not a number, at the first place and at the last.
#include <apps/cholesky/problem.hpp>
#include <apps/trial/one_rank.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

constexpr std::size_t n = 7;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double limit = 1e-12;

// The lower factor, in rows of n.
std::vector<double> factor_of(const cholesky::problem& problem) {
  std::vector<double> factor(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double left = problem.element(i, j);
      for (std::size_t k = 0; k < j; ++k) left -= factor[i * n + k] * factor[j * n + k];
      factor[i * n + j] = i == j ? std::sqrt(left) : left / factor[j * n + j];
    }
  }
  return factor;
}

TEST(cholesky_problem, checks_every_element_of_the_factor) {
  trial::one_rank alone;
  const cholesky::problem problem(alone, n);
  const std::vector<double> right = factor_of(problem);
  const auto error_with = [&](std::size_t place, double wrong) {
    std::vector<double> factor = right;
    factor[place] += wrong;
    return problem.error([&](const cholesky::problem::visit& visit) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) visit(i, j, factor[i * n + j]);
    });
  };
  EXPECT_LE(error_with(0, 0), limit);
  for (const std::size_t place : {std::size_t{0}, n * n - 1}) {
    EXPECT_GT(error_with(place, 1e-6), limit) << place;
    EXPECT_FALSE(error_with(place, not_a_number) <= limit) << place;
  }
}

}  // namespace
