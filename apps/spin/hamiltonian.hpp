// SPDX-License-Identifier: BSD-3-Clause
//
// H on distributed vectors: the local part and the exchange of the high bits, interleaved so that
// communication and arithmetic overlap. `subtract` makes the next vector block by block and offers
// each block to the partners while it is still in the cache; `apply` does a block's local part
// first and only then needs the partners' blocks, which were put long before.
#pragma once

#include <apps/spin/exchange.hpp>
#include <apps/spin/local_operator.hpp>
#include <apps/spin/matrix.hpp>

namespace spin {

class hamiltonian final : public matrix {
 public:
  hamiltonian(const local_operator& local, exchange& partners)
      : local_(local), partners_(partners) {}

  double start(double* vector) override;
  double apply(double* out, const double* in, apply_factors factors) override;
  double subtract(double* out, const double* in, double factor) override;
  void settle() override { partners_.settle(); }
  std::int64_t waited_ns() const noexcept override { return partners_.waited_ns(); }
  std::uint64_t moved_bytes() const noexcept override { return partners_.moved_bytes(); }

 private:
  const local_operator& local_;
  exchange& partners_;
};

}  // namespace spin
