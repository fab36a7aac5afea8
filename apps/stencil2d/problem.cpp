// SPDX-License-Identifier: BSD-3-Clause
//
// The problem. The weights are products of binomial coefficients over a power of four, all exact.
// The amplitudes sum over rows first, so that a mode costs two multiplications per point.
#include <apps/stencil2d/problem.hpp>

#include <bit>
#include <cmath>
#include <numbers>

namespace stencil2d {
namespace {

// Scrambles a number: every bit of the result depends on every bit of the number.
std::uint64_t scrambled(std::uint64_t number) noexcept {
  number ^= number >> 31;
  number *= 0x9fb21c651e98df25;
  number ^= number >> 29;
  number *= 0xd6e8feb86659fd93;
  number ^= number >> 32;
  return number;
}

std::uint64_t number_of(extent domain, int x, int y) noexcept {
  return static_cast<std::uint64_t>(y) * static_cast<std::uint64_t>(domain.x) +
         static_cast<std::uint64_t>(x);
}

std::complex<double> turn(double part_of_circle) {
  return std::polar(1.0, 2 * std::numbers::pi * part_of_circle);
}

// exp(-2 pi i k x / size) for all x of a range.
std::vector<std::complex<double>> turns(int k, int first, int last, int size) {
  std::vector<std::complex<double>> factors;
  for (int x = first; x < last; ++x) factors.push_back(turn(-static_cast<double>(k) * x / size));
  return factors;
}

std::complex<double> amplitude(extent mode, const rect& part, extent domain, const double* row,
                               std::ptrdiff_t pitch) {
  const auto along_x = turns(mode.x, part.x0, part.x1, domain.x);
  const auto along_y = turns(mode.y, part.y0, part.y1, domain.y);
  std::complex<double> sum = 0;
  for (const auto& factor : along_y) {
    double real = 0;
    double imaginary = 0;
    for (std::size_t x = 0; x < along_x.size(); ++x) {
      real += row[x] * along_x[x].real();
      imaginary += row[x] * along_x[x].imag();
    }
    sum += factor * std::complex<double>(real, imaginary);
    row += pitch;
  }
  return sum;
}

// The factor by which one step multiplies a mode.
std::complex<double> factor_of(extent mode, extent domain, const weight_table& table) {
  std::complex<double> sum = 0;
  const double* weight = table.weights;
  for (int dy = -table.radius; dy <= table.radius; ++dy) {
    for (int dx = -table.radius; dx <= table.radius; ++dx) {
      sum += *weight++ * turn(static_cast<double>(mode.x) * dx / domain.x +
                              static_cast<double>(mode.y) * dy / domain.y);
    }
  }
  return sum;
}

// How near `distance` is to 0, from 1 down to 0.
double bump(double distance, double width) {
  return std::exp(-(distance * distance) / (width * width));
}

int wrapped(int coordinate, int size) { return ((coordinate % size) + size) % size; }

// One point of the reference. A product and its sum are rounded once or twice, as the kernel does.
double averaged(const std::vector<double>& field, extent domain, extent place,
                const weight_table& table, bool fused) {
  double sum = 0;
  const double* weight = table.weights;
  for (int dy = -table.radius; dy <= table.radius; ++dy) {
    for (int dx = -table.radius; dx <= table.radius; ++dx, ++weight) {
      const int x = wrapped(place.x + dx, domain.x);
      const int y = wrapped(place.y + dy, domain.y);
      const double value = field[number_of(domain, x, y)];
      const volatile double product = *weight * value;
      sum = fused ? std::fma(*weight, value, sum) : sum + product;
    }
  }
  return sum;
}

}  // namespace

std::vector<double> heat_weights(int radius) {
  const int side = 2 * radius + 1;
  std::vector<double> line(static_cast<std::size_t>(side), 1.0);
  for (int i = 1; i < side; ++i)
    line[i] = std::round(line[i - 1] * (2 * radius - i + 1) / i);  // 2 radius choose i
  std::vector<double> weights;
  for (const double vertical : line)
    for (const double across : line) weights.push_back(std::ldexp(vertical * across, -4 * radius));
  return weights;
}

double initial_heat(extent domain, int x, int y) {
  const double across = (x + 0.5) / domain.x - 0.5;
  const double vertical = (y + 0.5) / domain.y - 0.5;
  const double angle = std::atan2(vertical, across);
  const double shore = 0.29 + 0.022 * std::sin(3 * angle + 0.6) + 0.012 * std::cos(7 * angle);
  const double width = 0.028 + 0.013 * std::cos(2 * angle - 1);
  const double ring = bump(std::hypot(across, vertical) - shore, width);
  const double passage = 1 - bump(angle - 0.7, 0.16) - bump(angle + 1.9, 0.1);  // into the lagoon
  const double motu = bump(std::hypot(across + 0.05, vertical - 0.06), 0.035);  // a small island
  const double grain =
      std::ldexp(static_cast<double>(scrambled(number_of(domain, x, y) + 1) >> 40), -24);  // 0 to 1
  return ring * passage + 0.8 * motu + grain / 1024;
}

std::uint64_t bits_of(const rect& part, extent domain, const double* first, std::ptrdiff_t pitch) {
  std::uint64_t sum = 0;
  for (int y = part.y0; y < part.y1; ++y, first += pitch) {
    for (int x = part.x0; x < part.x1; ++x) {
      const auto bits = std::bit_cast<std::uint64_t>(first[x - part.x0]);
      sum += scrambled(bits ^ scrambled(number_of(domain, x, y) + 1));
    }
  }
  return sum;
}

amplitudes amplitudes_of(const rect& part, extent domain, const double* first,
                         std::ptrdiff_t pitch) {
  amplitudes result;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = amplitude(checked_modes[i], part, domain, first, pitch);
  return result;
}

double amplitude_error(const amplitudes& initial, const amplitudes& now, extent domain,
                       const weight_table& table, unsigned steps) {
  const double all_heat = std::abs(initial[0]);
  double greatest = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::complex<double> factor = factor_of(checked_modes[i], domain, table);
    const std::complex<double> expected = initial[i] * std::pow(factor, static_cast<int>(steps));
    const double error = std::abs(now[i] - expected) / all_heat;
    if (!(error <= greatest)) greatest = error;  // also when it is not a number
  }
  return greatest;
}

double amplitude_error_max(unsigned steps) noexcept { return 1e-12 + 1e-15 * steps; }

bool reference_is_quick(extent domain, int radius, unsigned steps) noexcept {
  const double side = 2 * radius + 1;
  return side * side * domain.x * domain.y * steps <= 1e7;
}

std::uint64_t reference_bits(extent domain, const weight_table& table, unsigned steps,
                             const kernel& like) {
  const std::size_t points = number_of(domain, 0, domain.y);
  std::vector<double> now(points);
  std::vector<double> next(points);
  for (int y = 0; y < domain.y; ++y)
    for (int x = 0; x < domain.x; ++x) now[number_of(domain, x, y)] = initial_heat(domain, x, y);
  for (unsigned step = 0; step < steps; ++step) {
    for (int y = 0; y < domain.y; ++y)
      for (int x = 0; x < domain.x; ++x)
        next[number_of(domain, x, y)] = averaged(now, domain, {x, y}, table, like.fused);
    now.swap(next);
  }
  return bits_of({0, 0, domain.x, domain.y}, domain, now.data(), domain.x);
}

}  // namespace stencil2d
