// SPDX-License-Identifier: BSD-3-Clause
//
// Splits the diagonal of H into tables that a kernel reads from the first-level cache: bonds among
// the lowest six sites (and the ring's last bond, for both states of the last site), bonds from
// there to the block's top bit, and per block and half one number for all bonds above.
#include <apps/spin/local_operator.hpp>

#include <algorithm>

namespace spin {
namespace {

constexpr unsigned low_bits = 6;   // of the low tables
constexpr unsigned mid_first = 5;  // the first bond of the mid table joins bits 5 and 6
constexpr std::size_t streams_max = 64;

}  // namespace

local_operator::local_operator(const chain& model, const local_states& states, const kernels& use)
    : model_(model),
      states_(states),
      kernels_(use),
      block_bits_(std::min(block_bits_max, states.local_bits)),
      small_(states.local_bits < block_bits_min) {
  if (!small_) tabulate();
}

void local_operator::tabulate() {
  const unsigned top = model_.sites - 1;
  for (unsigned last_site = 0; last_site < 2; ++last_site) {
    for (state_id j = 0; j < low_[0].size(); ++j) {
      double& entry = low_[last_site][j];
      entry = bond_energy(model_, j, 0, low_bits - 1);
      // With six sites the last one is in the table's index, and `last_site` says the same.
      const state_id ring = (j & 1) | state_id{last_site} << top;
      if (model_.periodic) entry += bond_energy(model_, ring, top, top + 1);
    }
  }
  mid_.resize(block_elements() >> mid_first);
  for (state_id r = 0; r < mid_.size(); ++r)
    mid_[r] = bond_energy(model_, r << mid_first, mid_first, block_bits_ - 1);
}

void local_operator::apply(double* out, const double* in, std::size_t block,
                           apply_factors factors) const {
  if (small_) return apply_small(out, in, factors);
  const std::size_t first = block << block_bits_;
  const unsigned top = model_.sites - 1;
  block_diagonal diagonal{.low = {}, .mid = mid_.data(), .base = {}};
  for (state_id half = 0; half < 2; ++half) {
    const state_id state = states_.first | first | half << (block_bits_ - 1);
    diagonal.low[half] = low_[state >> top & 1].data();
    diagonal.base[half] = bond_energy(model_, state, block_bits_ - 1, top);
  }
  const double* others[streams_max];
  block_streams more{others, 0};
  for (unsigned bit = block_bits_; bit < states_.local_bits; ++bit)
    others[more.count++] = in + (first ^ std::size_t{1} << bit);
  kernels_.apply({out + first, in + first, block_bits_, more}, diagonal,
                 {factors.scale, factors.scale * model_.flip(), factors.previous});
}

void local_operator::apply_small(double* out, const double* in, apply_factors factors) const {
  for (std::size_t i = 0; i < states_.count(); ++i) {
    double flips = 0;
    for (unsigned bit = 0; bit < states_.local_bits; ++bit) flips += in[i ^ std::size_t{1} << bit];
    const double result =
        diagonal_energy(model_, states_.first + i) * in[i] + model_.flip() * flips;
    out[i] = factors.scale * result - factors.previous * out[i];
  }
}

double local_operator::add_and_dot(double* out, const double* in, std::size_t block,
                                   const block_streams& more, double factor) const {
  const std::size_t first = block << block_bits_;
  if (!small_) return kernels_.add_and_dot({out + first, in + first, block_bits_, more}, factor);
  double dot = 0;
  for (std::size_t i = 0; i < states_.count(); ++i) {
    for (std::size_t stream = 0; stream < more.count; ++stream)
      out[i] += factor * more.blocks[stream][i];
    dot += in[i] * out[i];
  }
  return dot;
}

double local_operator::subtract(double* out, const double* in, std::size_t block,
                                double factor) const {
  const std::size_t first = block << block_bits_;
  if (!small_) return kernels_.subtract({out + first, in + first, block_bits_}, factor);
  double squares = 0;
  for (std::size_t i = 0; i < states_.count(); ++i) {
    out[i] -= factor * in[i];
    squares += out[i] * out[i];
  }
  return squares;
}

}  // namespace spin
