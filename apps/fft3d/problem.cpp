// SPDX-License-Identifier: BSD-3-Clause
//
// The field is noise computed from the indices of its points, so any rank can compute any part
// again.
#include <apps/fft3d/problem.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/noise.hpp>

#include <fftw3.h>

#include <cmath>

namespace fft3d {
namespace {

constexpr std::size_t reference_points_max = std::size_t{1} << 21;  // the default size

complex value_at(std::uint64_t index) {
  return {trial::noise(2 * index), trial::noise(2 * index + 1)};
}

// Calls `visit(index in the field, place in the box)` for the points of a box that lies
// [i0][i1][i2].
template <class Visit>
void for_points(const extent& size, const box& part, Visit visit) {
  std::size_t place = 0;
  for (std::size_t a = part.i0.first; a < part.i0.end(); ++a)
    for (std::size_t b = part.i1.first; b < part.i1.end(); ++b)
      for (std::size_t c = part.i2.first; c < part.i2.end(); ++c)
        visit((a * size.n1 + b) * size.n2 + c, place++);
}

std::vector<complex> transform_alone(const extent& size) {
  std::vector<complex> values(size.points());
  for_points(size, {{0, size.n0}, {0, size.n1}, {0, size.n2}},
             [&](std::size_t index, std::size_t place) { values[place] = value_at(index); });
  auto* const data = reinterpret_cast<fftw_complex*>(values.data());
  const fftw_plan plan =
      fftw_plan_dft_3d(static_cast<int>(size.n0), static_cast<int>(size.n1),
                       static_cast<int>(size.n2), data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  return values;
}

// By the standard, an array of complex numbers may be read as an array of pairs of numbers.
std::span<double> numbers_of(std::vector<complex>& values) {
  return {reinterpret_cast<double*>(values.data()), 2 * values.size()};
}

}  // namespace

bool has_reference(const extent& size) { return size.points() <= reference_points_max; }

problem::problem(trial::group& ranks, const extent& size) : ranks_(ranks), size_(size) {
  const range share = trial::part_of(size.points(), ranks.size(), ranks.rank());
  for (std::size_t i = share.first; i < share.end(); ++i) energy_ += std::norm(value_at(i));
  ranks.add({&energy_, 1});
  if (!has_reference(size)) return;
  if (ranks.rank() == 0) reference_ = transform_alone(size);
  reference_.resize(size.points());
  ranks.broadcast(numbers_of(reference_));
}

void problem::fill(const box& part, complex* values) const {
  for_points(size_, part,
             [&](std::size_t index, std::size_t place) { values[place] = value_at(index); });
}

double problem::error_of_field(const box& part, const complex* values) const {
  const double scale = 1.0 / static_cast<double>(size_.points());
  double error = 0;
  for_points(size_, part, [&](std::size_t index, std::size_t place) {
    error = trial::larger_error(error, std::abs(values[place] * scale - value_at(index)));
  });
  return error;
}

double problem::error_of_spectrum(const box& part, const complex* values) const {
  const double points = static_cast<double>(size_.points());
  const double size_of_values = std::sqrt(energy_);  // the root of a coefficient's mean square
  double energy = 0;
  double error = 0;
  for (std::size_t b = 0; b < part.i1.count; ++b) {
    for (std::size_t a = 0; a < part.i0.count; ++a) {
      for (std::size_t c = 0; c < part.i2.count; ++c) {
        const complex value = *values++;
        energy += std::norm(value);
        if (reference_.empty()) continue;
        const std::size_t index =
            ((part.i0.first + a) * size_.n1 + part.i1.first + b) * size_.n2 + part.i2.first + c;
        error = trial::larger_error(error, std::abs(value - reference_[index]) / size_of_values);
      }
    }
  }
  ranks_.add({&energy, 1});
  return trial::larger_error(error, std::abs(energy / points / energy_ - 1));
}

}  // namespace fft3d
