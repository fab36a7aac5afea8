// SPDX-License-Identifier: BSD-3-Clause
//
// The division of the domain: a grid of ranks, a block of points for each, and around every block a
// halo of `radius` points that belong to its eight neighbours. The domain is periodic, so a rank
// may be its own neighbour, or another's in several directions.
//
// Coordinates inside a block start at its first own point; the halo has negative ones and those
// beyond the size. All blocks have the same layout in memory (that of the largest), so a rank knows
// the layout of every other. These are values; nothing here depends on running ranks.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stencil2d {

/// A number of something in each dimension, or a place.
struct extent {
  int x = 0;
  int y = 0;

  bool operator==(const extent&) const = default;
};

/// "3x2"; of "7" both are 7. False for anything else, and for numbers below 1 or above a million.
bool parse_extent(std::string_view text, extent& into) noexcept;
std::string text_of(extent value);

/// Points x0 <= x < x1, y0 <= y < y1.
struct rect {
  int x0 = 0;
  int y0 = 0;
  int x1 = 0;
  int y1 = 0;

  int width() const noexcept { return x1 - x0; }
  int height() const noexcept { return y1 - y0; }
  bool empty() const noexcept { return x1 <= x0 || y1 <= y0; }
  std::size_t points() const noexcept {
    return empty() ? 0 : static_cast<std::size_t>(width()) * static_cast<std::size_t>(height());
  }
};

/// The eight neighbours; direction d and `opposite(d)` are each other's reverse.
inline constexpr std::array<extent, 8> directions = {
    {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}}};
constexpr std::size_t opposite(std::size_t direction) { return 7 - direction; }

/// One rank's block and how it lies in memory, in doubles.
struct block {
  extent size;
  int radius = 1;
  std::ptrdiff_t pitch = 0;   // from a row to the next; the same on all ranks
  std::ptrdiff_t origin = 0;  // of point (0, 0); the same on all ranks
  std::size_t elements = 0;   // with halos and padding; the same on all ranks

  std::ptrdiff_t offset(int x, int y) const noexcept { return origin + y * pitch + x; }
  rect bounds() const noexcept { return {0, 0, size.x, size.y}; }
  /// The own points that the neighbour in this direction needs; and its points that are needed
  /// here.
  rect border(std::size_t direction) const noexcept;
  rect halo(std::size_t direction) const noexcept;
};

/// The block cut into an inner region that needs no halo of other ranks, and the rest, which is cut
/// in two ways: into four sides, and into eight pieces that each need some neighbours. Sides are as
/// wide as a register where there is room. Without room for an inner region there is one side, the
/// whole block.
struct cut_block {
  struct piece {
    rect region;
    unsigned needs = 0;  // a bit for each direction; its own rank's halos included
  };
  rect inner;
  std::vector<rect> sides;
  std::vector<piece> pieces;
};

/// `ranks` is the grid: in a dimension of one rank the halos are the rank's own.
cut_block cut(const block& shape, extent ranks);

/// The whole domain, divided as evenly as possible over a grid of ranks.
struct layout {
  extent points;
  extent ranks;
  int radius = 1;

  extent place_of(unsigned rank) const noexcept;
  /// The rank next to `rank` in this direction.
  unsigned neighbour(unsigned rank, std::size_t direction) const noexcept;
  /// The rank's points, in coordinates of the domain.
  rect part_of(unsigned rank) const noexcept;
  block block_of(unsigned rank) const noexcept;
  /// Whether every block is at least `radius` wide and high.
  bool fits() const noexcept;
};

/// The grid of this many ranks that is nearest to a square, and not wider than high, because
/// borders along a row are contiguous.
extent nearest_to_square(unsigned ranks) noexcept;

}  // namespace stencil2d
