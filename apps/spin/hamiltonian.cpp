// SPDX-License-Identifier: BSD-3-Clause
//
// The product takes two passes over memory: one reads `in` and its flipped copies and writes `out`,
// the other makes the next vector. Sums are kept per block, so that long vectors lose no digits.
#include <apps/spin/hamiltonian.hpp>

namespace spin {

double hamiltonian::start(double* vector) {
  double squares = 0;
  for (std::size_t block = 0; block < local_.blocks(); ++block)
    squares += local_.subtract(vector, vector, block, 0);
  partners_.begin(vector);
  partners_.offer(local_.blocks());
  return squares;
}

double hamiltonian::apply(double* out, const double* in, apply_factors factors) {
  const double flip = factors.scale * local_.model().flip();
  double dot = 0;
  for (std::size_t block = 0; block < local_.blocks(); ++block) {
    local_.apply(out, in, block, factors);
    const block_streams flipped = partners_.wait_for(block);
    dot += local_.add_and_dot(out, in, block, flipped, flip);
    partners_.release(block);
  }
  partners_.finish();
  return dot;
}

double hamiltonian::subtract(double* out, const double* in, double factor) {
  double squares = 0;
  partners_.begin(out);
  for (std::size_t block = 0; block < local_.blocks(); ++block) {
    squares += local_.subtract(out, in, block, factor);
    partners_.offer(block + 1);
  }
  return squares;
}

}  // namespace spin
