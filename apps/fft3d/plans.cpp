// SPDX-License-Identifier: BSD-3-Clause
//
// Makes FFTW's plans. Planning measures, and so overwrites the memory that it is given.
#include <apps/fft3d/plans.hpp>

#include <array>

namespace fft3d {
namespace {

// One dimension of `n` points, a distance apart.
fftw_iodim64 dimension(std::size_t n, std::size_t distance) {
  return {static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(distance),
          static_cast<std::ptrdiff_t>(distance)};
}

}  // namespace

plane_transform::plane_transform(plane_shape shape, along which, direction way, bool in_place,
                                 unsigned planning) {
  if (shape.points() == 0) return;
  const std::array<fftw_iodim64, 2> dimensions{dimension(shape.rows, shape.columns),
                                               dimension(shape.columns, 1)};
  const bool rows = which == along::rows;
  std::vector<complex> source(shape.points());
  std::vector<complex> target(in_place ? 0 : shape.points());
  fftw_complex* const from = numbers(source.data());
  fftw_complex* const to = in_place ? from : numbers(target.data());
  const unsigned options = planning | FFTW_PRESERVE_INPUT;
  if (which == along::rows_and_columns) {
    plan_.reset(fftw_plan_guru64_dft(2, dimensions.data(), 0, nullptr, from, to,
                                     static_cast<int>(way), options));
  } else {
    plan_.reset(fftw_plan_guru64_dft(1, &dimensions[rows ? 1 : 0], 1, &dimensions[rows ? 0 : 1],
                                     from, to, static_cast<int>(way), options));
  }
}

}  // namespace fft3d
