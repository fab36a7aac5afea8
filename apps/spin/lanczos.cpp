// SPDX-License-Identifier: BSD-3-Clause
//
// The iteration. With v_k = u_k / norm_k: w = H v_k - norm_k v_(k-1), a_k = v_k w,
// u_(k+1) = w - a_k v_k, and norm_(k+1) is the next off-diagonal element. The residual of the
// lowest Ritz vector is that element times the last component of the tridiagonal matrix'
// eigenvector.
#include <apps/spin/lanczos.hpp>
#include <apps/spin/tridiagonal.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace spin {
namespace {

// A random number in (0, 1] from a seed and a counter (the finaliser of SplitMix64).
double random_fraction(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t x = seed * 0xd1342543de82ef95 + (counter + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return static_cast<double>((x >> 11) + 1) * 0x1p-53;
}

}  // namespace

void fill_start(const chain& model, const local_states& states, std::uint64_t seed,
                double* vector) {
  for (std::size_t i = 0; i < states.count(); ++i) {
    const state_id state = states.first + i;
    const bool odd = std::popcount(state) % 2 != 0;
    const double size = random_fraction(seed, state);
    vector[i] = model.field > 0 && odd ? -size : size;
  }
}

lanczos::lanczos(matrix& h, reducer& sums, double* current, double* other)
    : h_(h),
      sums_(sums),
      current_(current),
      other_(other),
      norm_(std::sqrt(sums.sum(h.start(current)))) {}

lanczos_step lanczos::step() {
  const double dot = h_.apply(other_, current_, {.scale = 1 / norm_, .previous = previous_});
  const double a = sums_.sum(dot) / norm_;
  const double squares = h_.subtract(other_, current_, a / norm_);
  const double next_norm = std::sqrt(sums_.sum(squares));
  diagonal_.push_back(a);
  const tridiagonal matrix{diagonal_, off_diagonal_};
  lanczos_step now{.iteration = static_cast<unsigned>(diagonal_.size())};
  now.energy = tridiagonal_eigenvalue(matrix, 0);
  now.residual = next_norm * last_component(matrix, now.energy) /
                 std::max(std::abs(now.energy), std::numeric_limits<double>::min());
  off_diagonal_.push_back(next_norm);
  previous_ = next_norm / norm_;
  norm_ = next_norm;
  std::swap(current_, other_);
  return now;
}

}  // namespace spin
