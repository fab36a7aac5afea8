// SPDX-License-Identifier: BSD-3-Clause
//
// Both forms add the flips of a state in the order of bits, so they give the same numbers.
#include <apps/spin/pgas/elegant.hpp>

#include <algorithm>
#include <bit>

namespace spin {

void elegant::sum_flips(range states, const global_vector& vector, double* flips) const {
  vector.visit([=](const auto& v) {
    for (state_id i = states.first; i < states.first + states.count; i += 4) {
      four_numbers sum;
      for (state_id bit = states.lowest_bit; bit < states.after_bits; bit *= 2)
        sum += v[four_states{i} ^ bit];
      sum.store(flips + (i - states.first));
    }
  });
}

void hoisted::sum_flips(range states, const global_vector& vector, double* flips) const {
  std::fill_n(flips, states.count, 0.0);
  for (state_id bit = states.lowest_bit; bit < states.after_bits; bit *= 2) {
    const global_pointer flipped = vector.from(states.first ^ bit);
    for (std::size_t place = 0; place < states.count; ++place) flips[place] += flipped[place];
  }
}

void elegant::begin(const double* vector) {
  progress_.begin();
  const std::size_t local = shape_.blocks * shape_.block_elements;
  v_.emplace(job_, area_, vector, static_cast<unsigned>(std::countr_zero(local)));
}

block_streams elegant::wait_for(std::size_t block) {
  if (shape_.partners == 0) return {};
  progress_.wait_for(block);
  waited_ns_ = progress_.waited_ns();
  const state_id local = shape_.blocks * shape_.block_elements;  // states of each rank
  sum_flips({.first = job_.rank() * local + block * shape_.block_elements,
             .count = shape_.block_elements,
             .lowest_bit = local,
             .after_bits = local * job_.size()},
            *v_, flips_.data());
  moved_bytes_ += shape_.partners * shape_.block_bytes();
  stream_ = flips_.data();
  return {&stream_, 1};
}

}  // namespace spin
