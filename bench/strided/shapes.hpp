// SPDX-License-Identifier: BSD-3-Clause
//
// The non-contiguous transfers that are measured, the same for every implementation: planes of
// doubles within a larger matrix, described by the distance that one step of each index moves on
// each side, and a list of scattered doubles. Both sides lie in an area of `area_doubles`.
#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <vector>

namespace bench {

/// A plane of rows x columns doubles; distances are in doubles.
struct plane {
  const char* name;
  std::size_t rows, columns;
  std::ptrdiff_t to_row, to_column;
  std::ptrdiff_t from_row, from_column;

  std::size_t doubles() const noexcept { return rows * columns; }
  std::size_t bytes() const noexcept { return doubles() * sizeof(double); }
};

inline constexpr std::ptrdiff_t matrix_width = 1500;
inline constexpr std::size_t area_doubles = std::size_t{matrix_width} * matrix_width;
inline constexpr std::ptrdiff_t cube_edge = 100;

inline constexpr std::array planes = {
    plane{"block_8x8", 8, 8, matrix_width, 1, matrix_width, 1},
    plane{"block_100x100", 100, 100, matrix_width, 1, matrix_width, 1},
    plane{"block_1000x1000", 1000, 1000, matrix_width, 1, matrix_width, 1},
    plane{"column_1000", 1000, 1, matrix_width, 1, matrix_width, 1},
    plane{"every_second_1000x500", 1000, 500, matrix_width, 2, matrix_width, 2},
    plane{"cube_side_100x100", 100, 100, cube_edge* cube_edge, cube_edge, cube_edge* cube_edge,
          cube_edge},
    plane{"packed_column_block_1000x3", 1000, 3, 3, 1, matrix_width, 1},
    plane{"transpose_100x100", 100, 100, matrix_width, 1, 1, matrix_width},
    plane{"transpose_1000x1000", 1000, 1000, matrix_width, 1, 1, matrix_width},
};

inline constexpr std::size_t listed_doubles = 10'000;

/// Distinct places in the area, in no order, the same at every call.
inline std::vector<std::size_t> scattered_places() {
  constexpr std::size_t each = area_doubles / listed_doubles;
  std::mt19937_64 random(20250801);
  std::vector<std::size_t> places(listed_doubles);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i * each + random() % each;
  for (std::size_t i = places.size() - 1; i > 0; --i) {
    std::swap(places[i], places[random() % (i + 1)]);
  }
  return places;
}

}  // namespace bench
