// SPDX-License-Identifier: BSD-3-Clause
//
// The part of H that needs no other rank: the diagonal and the flips of the low bits, for a rank
// that holds the 2^local_bits states which share its high bits. The vector is cut into blocks (see
// kernel.hpp); flips of local bits above a block read other blocks of the same vector.
//
// A value after construction: const functions only, so any thread may call it.
#pragma once

#include <apps/spin/chain.hpp>
#include <apps/spin/kernel.hpp>

#include <array>
#include <cstddef>
#include <vector>

namespace spin {

/// The states of one rank: [first, first + 2^local_bits), a multiple of its length from 0 on.
struct local_states {
  state_id first = 0;
  unsigned local_bits = 0;

  std::size_t count() const noexcept { return std::size_t{1} << local_bits; }
};

/// The factors of out = scale * H in - previous * out.
struct apply_factors {
  double scale = 1;
  double previous = 0;
};

class local_operator {
 public:
  local_operator(const chain& model, const local_states& states,
                 const kernels& use = best_kernels());

  unsigned block_bits() const noexcept { return block_bits_; }
  std::size_t block_elements() const noexcept { return std::size_t{1} << block_bits_; }
  std::size_t blocks() const noexcept { return states_.count() >> block_bits_; }
  const chain& model() const noexcept { return model_; }
  const local_states& owned_states() const noexcept { return states_; }

  /// out = scale * H_local in - previous * out, in block `block` of the two local vectors.
  void apply(double* out, const double* in, std::size_t block, apply_factors factors) const;

  /// Block `block` of `out` += factor * (sum of the streams); returns its dot product with `in`.
  double add_and_dot(double* out, const double* in, std::size_t block, const block_streams& more,
                     double factor) const;

  /// Block `block` of `out` -= factor * `in`; returns the sum of its squares.
  double subtract(double* out, const double* in, std::size_t block, double factor) const;

 private:
  void tabulate();
  void apply_small(double* out, const double* in, apply_factors factors) const;

  chain model_;
  local_states states_;
  const kernels& kernels_;
  unsigned block_bits_;
  bool small_;  // fewer states than a kernel's smallest block
  alignas(64) std::array<std::array<double, 64>, 2> low_{};  // by the state of the last site
  std::vector<double> mid_;
};

}  // namespace spin
