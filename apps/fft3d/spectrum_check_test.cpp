// SPDX-License-Identifier: BSD-3-Clause
//
// The checks of a field and of a spectrum: they pass the right result, and refuse one with a single
// wrong number or a single one that is not a number, at the first place and at the last.
#include <apps/fft3d/problem.hpp>
#include <apps/trial/one_rank.hpp>

#include <fftw3.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using fft3d::complex;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double limit = 1e-12;

struct fft3d_problem : testing::Test {
  trial::one_rank alone;
  fft3d::extent size{2, 3, 5};
  fft3d::problem problem{alone, size};
  fft3d::box all{{0, size.n0}, {0, size.n1}, {0, size.n2}};

  std::vector<complex> field() const {
    std::vector<complex> values(size.points());
    problem.fill(all, values.data());
    return values;
  }
};

TEST_F(fft3d_problem, checks_every_number_of_the_field) {
  const auto error_with = [&](std::size_t place, complex wrong) {
    std::vector<complex> values = field();
    for (complex& each : values) each *= static_cast<double>(size.points());
    values[place] += wrong;
    return problem.error_of_field(all, values.data());
  };
  EXPECT_LE(error_with(0, 0), limit);
  for (const std::size_t place : {std::size_t{0}, size.points() - 1}) {
    EXPECT_GT(error_with(place, 1), limit) << place;
    EXPECT_FALSE(error_with(place, not_a_number) <= limit) << place;
  }
}

// A spectrum lies [i1][i0][i2].
std::vector<complex> spectrum_of(std::vector<complex> values, const fft3d::extent& size) {
  auto* const data = reinterpret_cast<fftw_complex*>(values.data());
  const fftw_plan plan =
      fftw_plan_dft_3d(static_cast<int>(size.n0), static_cast<int>(size.n1),
                       static_cast<int>(size.n2), data, data, FFTW_FORWARD, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
  std::vector<complex> spectrum;
  for (std::size_t b = 0; b < size.n1; ++b)
    for (std::size_t a = 0; a < size.n0; ++a)
      for (std::size_t c = 0; c < size.n2; ++c)
        spectrum.push_back(values[(a * size.n1 + b) * size.n2 + c]);
  return spectrum;
}

TEST_F(fft3d_problem, checks_every_number_of_the_spectrum) {
  const std::vector<complex> right = spectrum_of(field(), size);
  const auto error_with = [&](std::size_t place, complex wrong) {
    std::vector<complex> values = right;
    values[place] += wrong;
    return problem.error_of_spectrum(all, values.data());
  };
  EXPECT_LE(error_with(0, 0), limit);
  for (const std::size_t place : {std::size_t{0}, size.points() - 1}) {
    EXPECT_GT(error_with(place, 1e-6), limit) << place;
    EXPECT_FALSE(error_with(place, not_a_number) <= limit) << place;
  }
}

// One with the right energy but wrong coefficients is refused at the default size, so that size is
// compared with FFTW's transform on one rank.
TEST(fft3d_spectrum_check, compares_coefficients_at_the_default_size) {
  trial::one_rank alone;
  const fft3d::extent size;
  const fft3d::problem problem(alone, size);
  const fft3d::box all{{0, size.n0}, {0, size.n1}, {0, size.n2}};
  std::vector<complex> spectrum(size.points());
  problem.fill(all, spectrum.data());
  EXPECT_EQ(problem.error_of_field(all, spectrum.data()) > 0, true) << "not scaled by the points";
  const double scale = std::sqrt(static_cast<double>(size.points()));
  for (complex& each : spectrum) each *= scale;  // the energy of the spectrum
  EXPECT_GT(problem.error_of_spectrum(all, spectrum.data()), 0.1);
}

}  // namespace
