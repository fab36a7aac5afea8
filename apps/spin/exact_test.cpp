// SPDX-License-Identifier: BSD-3-Clause
//
// The closed form against dense matrices. The lowest eigenvalue of a dense matrix A is found here
// by bisection on whether A - x has a Cholesky factor, which shares nothing with the code tested.
#include <apps/spin/exact.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace spin {
namespace {

using matrix = std::vector<std::vector<double>>;

matrix dense(const chain& model) {
  matrix elements(model.states(), std::vector<double>(model.states(), 0.0));
  for (state_id state = 0; state < model.states(); ++state) {
    elements[state][state] = diagonal_energy(model, state);
    for (unsigned site = 0; site < model.sites; ++site)
      elements[state][state ^ state_id{1} << site] += model.flip();
  }
  return elements;
}

bool positive_definite(matrix a, double shift) {
  const std::size_t n = a.size();
  for (std::size_t column = 0; column < n; ++column) {
    double pivot = a[column][column] - shift;
    for (std::size_t k = 0; k < column; ++k) pivot -= a[column][k] * a[column][k];
    if (pivot <= 0) return false;
    a[column][column] = std::sqrt(pivot);
    for (std::size_t row = column + 1; row < n; ++row) {
      double sum = a[row][column];
      for (std::size_t k = 0; k < column; ++k) sum -= a[row][k] * a[column][k];
      a[row][column] = sum / a[column][column];
    }
  }
  return true;
}

double lowest_eigenvalue(const chain& model) {
  const matrix elements = dense(model);
  double high = (std::abs(model.coupling) / 4 + std::abs(model.field) / 2) * model.sites;
  double low = -high - 1;
  while (high - low > 1e-13 * (1 + std::abs(low))) {
    const double middle = (low + high) / 2;
    (positive_definite(elements, middle) ? low : high) = middle;
  }
  return low;
}

void expect_exact(const chain& model) {
  SCOPED_TRACE("n = " + std::to_string(model.sites) + ", J = " + std::to_string(model.coupling) +
               ", Gamma = " + std::to_string(model.field) +
               (model.periodic ? ", periodic" : ", open"));
  const double expected = lowest_eigenvalue(model);
  EXPECT_NEAR(exact_ground_energy(model), expected, 2e-12 * std::abs(expected));
}

TEST(exact_energy, matches_dense_diagonalization) {
  for (const unsigned sites : {3U, 4U, 5U, 6U}) {
    for (const double coupling : {1.0, -1.0, 0.3, -0.3, 2.5, -2.5}) {
      for (const double field : {0.5, -0.7, 1.6}) {
        expect_exact({.sites = sites, .coupling = coupling, .field = field, .periodic = true});
        expect_exact({.sites = sites, .coupling = coupling, .field = field, .periodic = false});
      }
    }
  }
}

TEST(exact_energy, matches_dense_diagonalization_of_the_larger_chains) {
  for (const unsigned sites : {7U, 8U}) {
    for (const double coupling : {1.0, -1.0}) {
      expect_exact({.sites = sites, .coupling = coupling, .field = 0.4, .periodic = true});
      expect_exact({.sites = sites, .coupling = coupling, .field = 0.4, .periodic = false});
    }
  }
}

TEST(exact_energy, without_a_field_counts_satisfied_bonds) {
  const chain ring{.sites = 9, .coupling = 1.0, .field = 0.0, .periodic = true};
  EXPECT_NEAR(exact_ground_energy(ring), -7.0 / 4, 1e-14);  // one bond of nine is frustrated
  const chain ferromagnet{.sites = 9, .coupling = -1.0, .field = 0.0, .periodic = true};
  EXPECT_NEAR(exact_ground_energy(ferromagnet), -9.0 / 4, 1e-14);
  const chain line{.sites = 9, .coupling = 1.0, .field = 0.0, .periodic = false};
  EXPECT_NEAR(exact_ground_energy(line), -8.0 / 4, 1e-14);
}

TEST(exact_energy, without_a_coupling_is_that_of_free_spins) {
  EXPECT_NEAR(exact_ground_energy({.sites = 12, .coupling = 0, .field = 0.8, .periodic = true}),
              -12 * 0.4, 1e-13);
}

TEST(exact_energy, at_the_critical_point_is_the_known_sum) {
  // |J| = 2 |Gamma|: the mode energies are J sin(k / 2), and E = -(J / 2) / sin(pi / 2n).
  const chain critical{.sites = 20, .coupling = 1.0, .field = 0.5, .periodic = true};
  EXPECT_NEAR(exact_ground_energy(critical), -0.5 / std::sin(std::acos(-1.0) / 40), 1e-13);
}

}  // namespace
}  // namespace spin
