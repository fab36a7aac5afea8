// SPDX-License-Identifier: BSD-3-Clause
//
// H on distributed vectors: the local part and the exchange of the high bits, woven together so
// that communication hides behind arithmetic. `subtract` makes the next vector block by block and
// offers each block to the partners while it is still in the cache; `apply` does a block's local
// part first and only then needs the partners' blocks, which were put long before.
#pragma once

#include <apps/spin/exchange.hpp>
#include <apps/spin/local_operator.hpp>

namespace spin {

class hamiltonian {
 public:
  hamiltonian(const local_operator& local, exchange& partners)
      : local_(local), partners_(partners) {}

  /// Offers a vector to the partners; needed before the first apply().
  void offer(const double* vector);

  /// out = scale * H in - previous * out, where `in` was made by subtract() or offered. Collective.
  /// Returns this rank's part of the dot product of `in` and the new `out`.
  double apply(double* out, const double* in, apply_factors factors);

  /// out -= factor * in, and offers `out`. Returns this rank's part of the sum of squares of `out`.
  double subtract(double* out, const double* in, double factor);

 private:
  const local_operator& local_;
  exchange& partners_;
};

}  // namespace spin
