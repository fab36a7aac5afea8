// SPDX-License-Identifier: BSD-3-Clause
//
// A transform of n = n1 n2 complex numbers in one dimension, as a matrix of n1 rows: transpose,
// transform rows, turn by the twiddle factors, transpose, transform rows, transpose. Ranks have
// whole rows. The sum of squares must be that of the input, and the inverse must bring the input
// back.
#include <apps/hpcc/kernel.hpp>
#include <apps/hpcc/parts.hpp>
#include <apps/trial/larger_error.hpp>
#include <apps/trial/noise.hpp>

#include <fftw3.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>

namespace hpcc {
namespace {

using complex = std::complex<double>;
using matrix = parts<complex>;

// to[j][i] = from[i][j]: each rank gets its columns from all ranks, and transposes each tile when
// it has arrived.
void transpose(const matrix& from, std::size_t rows, std::size_t columns, const matrix& to) {
  constexpr auto bytes = static_cast<std::ptrdiff_t>(sizeof(complex));
  const trial::range own = to.own();
  upcxx::barrier();
  upcxx::future<> tiles = upcxx::make_future();
  for (std::size_t turn = 0; turn < from.ranks() && own.count != 0; ++turn) {
    const std::size_t rank = (from.rank() + turn) % from.ranks();
    const trial::range peer_rows = from.of_rank(rank);
    if (peer_rows.count == 0) continue;
    const auto tile = std::make_shared<std::vector<complex>>(peer_rows.count * own.count);
    const std::array<std::ptrdiff_t, 2> source_strides{
        bytes, bytes * static_cast<std::ptrdiff_t>(columns)};
    const std::array<std::ptrdiff_t, 2> tile_strides{
        bytes, bytes * static_cast<std::ptrdiff_t>(own.count)};
    const std::array<std::size_t, 2> extents{own.count, peer_rows.count};
    const auto came = upcxx::rget_strided<2>(from.start_of(rank) + own.first, source_strides.data(),
                                             tile->data(), tile_strides.data(), extents.data());
    tiles = upcxx::when_all(tiles, came.then([=, &to] {
      for (std::size_t j = 0; j < own.count; ++j)
        for (std::size_t i = 0; i < peer_rows.count; ++i)
          to.begin()[j * rows + peer_rows.first + i] = (*tile)[i * own.count + j];
    }));
  }
  tiles.wait();
  upcxx::barrier();
}

void transform_rows(const matrix& values, std::size_t length, int direction) {
  auto* const start = reinterpret_cast<fftw_complex*>(values.begin());
  const int points = static_cast<int>(length);
  const int rows = static_cast<int>(values.own().count);
  if (rows == 0) return;
  const fftw_plan plan = fftw_plan_many_dft(1, &points, rows, start, nullptr, 1, points, start,
                                            nullptr, 1, points, direction, FFTW_ESTIMATE);
  fftw_execute(plan);
  fftw_destroy_plan(plan);
}

// From `in`, which has n1 rows of n2, to `out`, which has n2 rows of n1; overwrites both.
void transform(const matrix& in, std::size_t n1, std::size_t n2, const matrix& out, int direction) {
  transpose(in, n1, n2, out);
  transform_rows(out, n1, direction);
  const double turn = 2 * std::numbers::pi * direction / static_cast<double>(n1 * n2);
  for (std::size_t row = 0; row < out.own().count; ++row) {
    const complex step = std::polar(1.0, turn * static_cast<double>(out.own().first + row));
    complex factor = 1;
    for (std::size_t i = 0; i < n1; ++i, factor *= step) out.begin()[row * n1 + i] *= factor;
  }
  transpose(out, n2, n1, in);
  transform_rows(in, n2, direction);
  transpose(in, n1, n2, out);
}

class fft final : public kernel {
 public:
  explicit fft(unsigned log2_points)
      : n1_(std::size_t{1} << log2_points / 2),
        n2_(std::size_t{1} << (log2_points + 1) / 2),
        field_(n1_, n2_),
        spectrum_(n2_, n1_) {}

  std::string_view name() const override { return "fft"; }
  void prepare() override {
    std::size_t index = field_.own().first * n2_;
    for (complex& each : field_) each = input(index++);
  }

  void run() override { transform(field_, n1_, n2_, spectrum_, FFTW_FORWARD); }

  // Parseval's sum, then back.
  double error() override {
    double sum = 0;
    for (const complex& each : spectrum_) sum += std::norm(each);
    transform(spectrum_, n2_, n1_, field_, FFTW_BACKWARD);
    const auto n = static_cast<double>(n1_ * n2_);
    double of_input = 0;
    double worst = 0;
    std::size_t index = field_.own().first * n2_;
    for (const complex& each : field_) {
      of_input += std::norm(input(index));
      worst = trial::larger_error(worst, std::abs(each / n - input(index++)));
    }
    sum = upcxx::reduce_all(sum, upcxx::op_fast_add).wait();
    of_input = upcxx::reduce_all(of_input, upcxx::op_fast_add).wait();
    return trial::larger_error(worst, std::abs(sum / n / of_input - 1));
  }

  std::span<std::byte> result() override {
    return std::as_writable_bytes(std::span(spectrum_.begin(), spectrum_.end()));
  }

 private:
  static complex input(std::size_t i) { return {trial::noise(2 * i), trial::noise(2 * i + 1)}; }

  std::size_t n1_, n2_;
  matrix field_, spectrum_;
};

}  // namespace

std::unique_ptr<kernel> make_fft(const sizes& chosen) {
  return std::make_unique<fft>(chosen.log2_points);
}

}  // namespace hpcc
