// SPDX-License-Identifier: BSD-3-Clause
//
// Eigenvalues of real symmetric tridiagonal matrices, one at a time by bisection: for Lanczos,
// which needs the lowest one and the last component of its vector after every step, and for the
// exact energy of the open chain. O(size) per bisection step, so the test of convergence costs
// microseconds where a step costs milliseconds.
#pragma once

#include <cstddef>
#include <span>

namespace spin {

/// A symmetric tridiagonal matrix: off_diagonal[i] joins rows i and i + 1; entries of off_diagonal
/// from diagonal.size() - 1 on are ignored.
struct tridiagonal {
  std::span<const double> diagonal;
  std::span<const double> off_diagonal;
};

/// The eigenvalue with `index` smaller ones (0 is the lowest), to the last bit or two.
double tridiagonal_eigenvalue(tridiagonal matrix, std::size_t index);

/// The size of the last component of the normalised eigenvector of the lowest eigenvalue, which
/// `lowest` must be. Precise also where it is tiny, given that the first component is not.
double last_component(tridiagonal matrix, double lowest);

}  // namespace spin
