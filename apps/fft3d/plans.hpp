// SPDX-License-Identifier: BSD-3-Clause
//
// FFTW's plans for the parts of a plane of numbers: all rows, all columns, or both. A plan is made
// once for two places and then used for many others, since numbers of 16 bytes always have the
// alignment that FFTW requires.
#pragma once

#include <apps/fft3d/problem.hpp>

#include <fftw3.h>

#include <memory>
#include <type_traits>

namespace fft3d {

enum class direction : int { forward = FFTW_FORWARD, inverse = FFTW_BACKWARD };

/// [rows][columns], rows contiguous.
struct plane_shape {
  std::size_t rows = 0;
  std::size_t columns = 0;

  std::size_t points() const { return rows * columns; }
};

/// The dimensions of a plane that are transformed.
enum class along : std::uint8_t { rows, columns, rows_and_columns };

class plane_transform {
 public:
  plane_transform() = default;
  /// Plans with memory of its own, so no field is overwritten.
  plane_transform(plane_shape shape, along dimension, direction sign, bool in_place,
                  unsigned planning);

  /// Leaves `from` as it is, unless it is also `to`. Does nothing to a plane without points.
  void operator()(complex* from, complex* to) const {
    if (plan_ != nullptr) fftw_execute_dft(plan_.get(), numbers(from), numbers(to));
  }

 private:
  struct ended {
    void operator()(fftw_plan plan) const { fftw_destroy_plan(plan); }
  };
  static fftw_complex* numbers(complex* values) { return reinterpret_cast<fftw_complex*>(values); }

  std::unique_ptr<std::remove_pointer_t<fftw_plan>, ended> plan_;
};

}  // namespace fft3d
