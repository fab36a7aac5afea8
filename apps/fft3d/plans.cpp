// SPDX-License-Identifier: BSD-3-Clause
//
// Makes FFTW's plans. Planning measures, and so overwrites the memory that it is given.
#include <apps/fft3d/plans.hpp>

#include <array>

namespace fft3d {
namespace {

// One axis of `n` points, a distance apart.
fftw_iodim64 axis(std::size_t n, std::size_t distance) {
  return {static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(distance),
          static_cast<std::ptrdiff_t>(distance)};
}

}  // namespace

plane_transform::plane_transform(plane_shape shape, along dimension, direction sign, bool in_place,
                                 unsigned planning) {
  if (shape.points() == 0) return;
  const std::array<fftw_iodim64, 2> axes{axis(shape.rows, shape.columns), axis(shape.columns, 1)};
  const bool rows = dimension == along::rows;
  std::vector<complex> source(shape.points());
  std::vector<complex> target(in_place ? 0 : shape.points());
  fftw_complex* const from = numbers(source.data());
  fftw_complex* const to = in_place ? from : numbers(target.data());
  const unsigned options = planning | FFTW_PRESERVE_INPUT;
  if (dimension == along::rows_and_columns) {
    plan_.reset(fftw_plan_guru64_dft(2, axes.data(), 0, nullptr, from, to, static_cast<int>(sign),
                                     options));
  } else {
    plan_.reset(fftw_plan_guru64_dft(1, &axes[rows ? 1 : 0], 1, &axes[rows ? 0 : 1], from, to,
                                     static_cast<int>(sign), options));
  }
}

}  // namespace fft3d
