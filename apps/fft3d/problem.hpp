// SPDX-License-Identifier: BSD-3-Clause
//
// The field that is transformed and what is known of the result. A rank has a box of the field or
// of the spectrum; the spectrum lies in memory as [n1][n0][n2], as FFTW leaves it when it may leave
// the dimensions transposed.
#pragma once

#include <apps/fft3d/options.hpp>
#include <apps/trial/ranges.hpp>

#include <complex>
#include <vector>

namespace fft3d {

using complex = std::complex<double>;
using trial::range;

/// The part of a field [i0][i1][i2], or of a spectrum with all of its dimension 0, that a rank has.
struct box {
  range i0;
  range i1;
  range i2;

  std::size_t points() const { return i0.count * i1.count * i2.count; }
};

/// Whether a problem of this size has the spectrum of FFTW on one rank to compare with, on every
/// rank.
bool has_reference(const extent& size);

class problem {
 public:
  problem(trial::group& ranks, const extent& size);

  const extent& size() const { return size_; }
  /// Writes the field's box.
  void fill(const box& part, complex* values) const;
  /// The greatest difference between values / points() and the field.
  double error_of_field(const box& part, const complex* values) const;
  /// The error of a box [i1][i0][i2] of the spectrum: the larger of the greatest difference to
  /// FFTW's on one rank, where that was computed, and the error in Parseval's theorem. Relative;
  /// collective.
  double error_of_spectrum(const box& part, const complex* values) const;

 private:
  trial::group& ranks_;
  extent size_;
  double energy_ = 0;               // the sum of the field's squares
  std::vector<complex> reference_;  // [i0][i1][i2]; empty when the problem is large
};

}  // namespace fft3d
