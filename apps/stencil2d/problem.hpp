// SPDX-License-Identifier: BSD-3-Clause
//
// The computed problem, and the checks of the result. A field of heat on a periodic domain is
// averaged with its surroundings, step by step. There are three checks, none of which depends on
// ranks:
//
// - the bits: a sum over all points of a hash of place and value, which does not depend on how
//   points are divided; equal sums mean equal fields,
// - a reference: the same steps by the simplest loop on one undivided field, for small domains,
// - the physics: one step multiplies the amplitude of a Fourier mode by a factor that is known, so
//   after all steps the amplitudes are known, and mode (0, 0) is the heat, which is conserved.
#pragma once

#include <apps/stencil2d/kernel.hpp>
#include <apps/stencil2d/shape.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

namespace stencil2d {

/// (2 radius + 1)^2 positive weights whose sum is 1: nearly a Gaussian, the same on all sides.
std::vector<double> heat_weights(int radius);

/// The field before the first step, from 0 to about 1: an island in the shape of a ring, plus a
/// small value that differs at every point, so that the checks find any two swapped points.
double initial_heat(extent domain, int x, int y);

/// The share of this part of the domain in the sum of bits; `first` points to the part's first
/// point.
std::uint64_t bits_of(const rect& part, extent domain, const double* first, std::ptrdiff_t pitch);

/// Amplitudes of the modes that are checked.
inline constexpr std::array<extent, 4> checked_modes = {{{0, 0}, {1, 0}, {0, 1}, {1, 2}}};
using amplitudes = std::array<std::complex<double>, checked_modes.size()>;

/// The share of this part of the domain in the amplitudes.
amplitudes amplitudes_of(const rect& part, extent domain, const double* first,
                         std::ptrdiff_t pitch);

/// The greatest difference between `now` and the result of `initial` after `steps` steps, relative
/// to the total heat.
double amplitude_error(const amplitudes& initial, const amplitudes& now, extent domain,
                       const weight_table& table, unsigned steps);

/// The largest error that rounding can cause.
double amplitude_error_max(unsigned steps) noexcept;

/// Whether the reference takes only a fraction of a second.
bool reference_is_quick(extent domain, int radius, unsigned steps) noexcept;

/// The sum of bits after `steps` steps of the simplest loop, rounded as `like` does.
std::uint64_t reference_bits(extent domain, const weight_table& table, unsigned steps,
                             const kernel& like);

}  // namespace stencil2d
