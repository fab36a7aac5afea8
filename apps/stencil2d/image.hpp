// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a field: colours by value, points enlarged or averaged to a suitable size.
// apps/trial/png_file.hpp writes the files.
#pragma once

#include <apps/stencil2d/shape.hpp>
#include <apps/trial/png_file.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace stencil2d {

using trial::image;

using colour = std::array<std::uint8_t, 3>;

/// The colour of a value: dark blue at 0, over violet and red to bright yellow at 1. Lightness
/// grows evenly with the value, so the picture is readable without colours. Values outside count as
/// 0 or 1.
colour colour_of(double value) noexcept;

/// Paints a field of `size` points, row after row. A square root raises small values, because
/// spreading heat soon has no others.
image paint(std::span<const double> field, extent size);

/// Pictures of one size beside each other, on a dark background.
image side_by_side(const std::vector<image>& pictures);

}  // namespace stencil2d
