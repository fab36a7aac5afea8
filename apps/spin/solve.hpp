// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the ground state of one chain with one variant, from the start vector to convergence or for
// a given number of steps: the part that does not depend on how ranks communicate. Collective;
// every rank computes the same energies from the same sums, so all stop together.
#pragma once

#include <apps/spin/exchange.hpp>
#include <apps/spin/lanczos.hpp>
#include <apps/spin/options.hpp>
#include <apps/spin/report.hpp>

namespace spin {

/// The objects and vectors that a variant uses on this rank.
struct solver_resources {
  exchange& partners;
  reducer& sums;
  double* current;  // two vectors of plan.states.count() zeros, aligned to 64 bytes
  double* other;
};

/// All ranks must be ready when this is called; some may still communicate when it returns.
outcome solve(const options& chosen, const division& plan, const solver_resources& resources,
              report& out);

/// The two vectors of an iteration: the start vector, and one that is zero.
struct iterated_vectors {
  double* current;
  double* other;
};

/// The iteration alone, for any matrix. The same holds for its call and its return.
outcome search(const options& chosen, matrix& h, reducer& sums, iterated_vectors vectors,
               report& out);

}  // namespace spin
