// SPDX-License-Identifier: BSD-3-Clause
//
// The check of a spectrum: one with the right energy but wrong coefficients is refused at the
// default size, so that size is compared with FFTW's transform on one rank.
#include <apps/fft3d/problem.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace {

class one_rank final : public trial::group {
 public:
  unsigned rank() const override { return 0; }
  unsigned size() const override { return 1; }
  void barrier() override {}
  void add(std::span<double>) override {}
  double greatest(double number) override { return number; }
  void broadcast(std::span<double>) override {}
};

TEST(fft3d_spectrum_check, compares_coefficients_at_the_default_size) {
  one_rank alone;
  const fft3d::extent size;
  const fft3d::problem given(alone, size);
  const fft3d::box all{{0, size.n0}, {0, size.n1}, {0, size.n2}};
  std::vector<fft3d::complex> spectrum(size.points());
  given.fill(all, spectrum.data());
  EXPECT_EQ(given.error_of_field(all, spectrum.data()) > 0, true) << "not scaled by the points";
  const double scale = std::sqrt(static_cast<double>(size.points()));
  for (fft3d::complex& each : spectrum) each *= scale;  // the energy of the spectrum
  EXPECT_GT(given.error_of_spectrum(all, spectrum.data()), 0.1);
}

}  // namespace
