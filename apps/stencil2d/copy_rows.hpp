// SPDX-License-Identifier: BSD-3-Clause
//
// Copies a small block of doubles between memories of different pitch: a border into a buffer, a
// buffer into a halo. Narrow blocks (columns) have separate loops, because a library call for each
// row would cost more than the row.
#pragma once

#include <apps/stencil2d/shape.hpp>

#include <cstddef>
#include <cstring>

namespace stencil2d {

/// Where a block begins, and how far its rows are apart.
template <class Element>
struct rows_at {
  Element* first;
  std::ptrdiff_t pitch;
};

template <int Width>
void copy_narrow(rows_at<double> to, rows_at<const double> from, int height) noexcept {
  for (int y = 0; y < height; ++y, to.first += to.pitch, from.first += from.pitch)
    for (int x = 0; x < Width; ++x) to.first[x] = from.first[x];
}

inline void copy_rows(rows_at<double> to, rows_at<const double> from, extent size) noexcept {
  switch (size.x) {
    case 1:
      return copy_narrow<1>(to, from, size.y);
    case 2:
      return copy_narrow<2>(to, from, size.y);
    case 3:
      return copy_narrow<3>(to, from, size.y);
    case 4:
      return copy_narrow<4>(to, from, size.y);
    default:
      break;
  }
  const auto bytes = static_cast<std::size_t>(size.x) * sizeof(double);
  for (int y = 0; y < size.y; ++y, to.first += to.pitch, from.first += from.pitch)
    std::memcpy(to.first, from.first, bytes);
}

}  // namespace stencil2d
