// SPDX-License-Identifier: BSD-3-Clause
//
// A picture of a field: colours by value, points enlarged or averaged to a size that one can look
// at. Files are written by apps/trial/png_file.hpp.
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

/// From 0, a dark sea, over violet and red to 1, a bright yellow. Lightness grows evenly with the
/// value, so that the picture reads the same without colours. Values outside are taken as 0 or 1.
colour colour_of(double value) noexcept;

/// A field of `size` points, row after row. Small values are lifted (by a square root), because
/// spreading heat soon has no others.
image paint(std::span<const double> field, extent size);

/// Pictures of one size beside each other, on a dark background.
image side_by_side(const std::vector<image>& pictures);

}  // namespace stencil2d
