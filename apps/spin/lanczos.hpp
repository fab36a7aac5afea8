// SPDX-License-Identifier: BSD-3-Clause
//
// The lowest eigenvalue of H by Lanczos iteration: an orthogonal basis built by three-term
// recurrence, in which H is a tridiagonal matrix that grows by one row per step and whose lowest
// eigenvalue falls to that of H. Two vectors suffice: the new one overwrites the last but one.
// Vectors are never normalised; the factor goes into the next application of H, which saves a pass
// over memory.
//
// Lost orthogonality makes copies of converged eigenvalues, which does not change the lowest.
// Collective: every rank computes the same small matrix from the same sums.
#pragma once

#include <apps/spin/matrix.hpp>
#include <apps/spin/reducer.hpp>

#include <cstdint>
#include <vector>

namespace spin {

struct lanczos_step {
  unsigned iteration = 0;
  double energy = 0;    // the lowest eigenvalue so far, an upper bound
  double residual = 0;  // norm(H x - energy x) / abs(energy) of its vector x
};

/// Fills this rank's part of a start vector: random sizes, and the signs of the ground state, so
/// that the two are far from orthogonal. (When Gamma > 0, flipping the sign of states with an odd
/// number of ones makes all off-diagonal entries of H negative.) The same for any number of ranks.
void fill_start(const chain& model, const local_states& states, std::uint64_t seed, double* vector);

class lanczos {
 public:
  /// `current` is the start vector, `other` is zero; both are changed.
  lanczos(matrix& h, reducer& sums, double* current, double* other);

  /// One application of H, and what is known after it.
  lanczos_step step();

 private:
  matrix& h_;
  reducer& sums_;
  double* current_;  // u_k, of norm norm_
  double* other_;    // u_(k-1), then u_(k+1)
  double norm_;
  double previous_ = 0;  // factor of u_(k-1): norm(u_k) / norm(u_(k-1))
  std::vector<double> diagonal_;
  std::vector<double> off_diagonal_;
};

}  // namespace spin
