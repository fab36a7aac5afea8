// SPDX-License-Identifier: BSD-3-Clause
//
// H as the iteration uses it: its products with vectors that are divided among the ranks. The
// classes that implement it do the communication.
//
// Collective, one thread per rank.
#pragma once

#include <apps/spin/local_operator.hpp>

#include <cstdint>

namespace spin {

class matrix {
 public:
  matrix() = default;
  matrix(const matrix&) = delete;
  matrix& operator=(const matrix&) = delete;
  virtual ~matrix() = default;

  /// Offers the start vector. Returns this rank's part of its sum of squares.
  virtual double start(double* vector) = 0;

  /// out = scale * H in - previous * out, where `in` was made by start() or subtract(). Returns
  /// this rank's part of the dot product of `in` and the new `out`.
  virtual double apply(double* out, const double* in, apply_factors factors) = 0;

  /// out -= factor * in, and offers `out`. Returns this rank's part of the sum of squares of `out`.
  virtual double subtract(double* out, const double* in, double factor) = 0;

  /// No apply() follows. Returns when nothing of the last vector is under way.
  virtual void settle() = 0;

  /// The time in which this rank only waited for others.
  virtual std::int64_t waited_ns() const noexcept = 0;
  /// The bytes that this rank has moved from or to others.
  virtual std::uint64_t moved_bytes() const noexcept = 0;
};

}  // namespace spin
