// SPDX-License-Identifier: BSD-3-Clause
//
// The division of the domain. Rows begin at multiples of 64 bytes, and so does the first own point
// of each: the halo to its left lies at the end of the padding. Blocks differ by at most one point
// in each dimension, and the first ones are the larger, so block (0, 0) gives the layout of all.
#include <apps/stencil2d/shape.hpp>

#include <algorithm>
#include <charconv>

namespace stencil2d {
namespace {

constexpr int line = 8;  // doubles of a cache line, and of the widest register

constexpr int tile = 4;  // rows that the kernel computes at a time

constexpr int rounded_up(int number) { return (number + line - 1) / line * line; }

// The begin of part `index` of `parts` of [0, total); the first parts get one of the remainder
// each.
int begin_of(int total, int parts, int index) {
  return total / parts * index + std::min(index, total % parts);
}

struct range {
  int first;
  int last;
};

range border_range(int step, int size, int radius) {
  if (step < 0) return {0, radius};
  return {step > 0 ? size - radius : 0, size};
}

range halo_range(int step, int size, int radius) {
  if (step < 0) return {-radius, 0};
  if (step > 0) return {size, size + radius};
  return {0, size};
}

// The margin of the inner region in one dimension; negative where there is no room for one.
int margin(int size, int radius, int wanted, int ranks) {
  if (ranks == 1) return 0;
  if (size >= 3 * wanted) return wanted;
  return size > 2 * radius ? radius : -1;
}

bool overlap(const rect& a, const rect& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

// The directions whose halos are read for these points.
unsigned needs_of(const block& shape, const rect& region) {
  const int r = shape.radius;
  const rect reads{region.x0 - r, region.y0 - r, region.x1 + r, region.y1 + r};
  unsigned needs = 0;
  for (std::size_t d = 0; d < directions.size(); ++d)
    if (overlap(reads, shape.halo(d))) needs |= 1U << d;
  return needs;
}

bool parse_number(const char*& position, const char* end, int& into) noexcept {
  const auto [next, failure] = std::from_chars(position, end, into);
  position = next;
  return failure == std::errc{} && into >= 1 && into <= 1'000'000;
}

}  // namespace

bool parse_extent(std::string_view text, extent& into) noexcept {
  const char* position = text.data();
  const char* const end = position + text.size();
  extent read;
  if (!parse_number(position, end, read.x)) return false;
  read.y = read.x;
  if (position != end && (*position++ != 'x' || !parse_number(position, end, read.y))) return false;
  if (position != end) return false;
  into = read;
  return true;
}

std::string text_of(extent value) {
  return std::to_string(value.x) + "x" + std::to_string(value.y);
}

rect block::border(std::size_t direction) const noexcept {
  const range x = border_range(directions[direction].x, size.x, radius);
  const range y = border_range(directions[direction].y, size.y, radius);
  return {x.first, y.first, x.last, y.last};
}

rect block::halo(std::size_t direction) const noexcept {
  const range x = halo_range(directions[direction].x, size.x, radius);
  const range y = halo_range(directions[direction].y, size.y, radius);
  return {x.first, y.first, x.last, y.last};
}

cut_block cut(const block& shape, extent ranks) {
  const auto [width, height] = shape.size;
  const int mx = margin(width, shape.radius, rounded_up(shape.radius), ranks.x);
  const int my = margin(height, shape.radius, (shape.radius + tile - 1) / tile * tile, ranks.y);
  if (mx < 0 || my < 0) return {{}, {shape.bounds()}, {{shape.bounds(), 0xff}}};
  cut_block result{.inner = {mx, my, width - mx, height - my}};
  const rect sides[] = {{0, 0, width, my},
                        {0, my, mx, height - my},
                        {width - mx, my, width, height - my},
                        {0, height - my, width, height}};
  for (const rect& side : sides)
    if (!side.empty()) result.sides.push_back(side);
  const int x_edges[] = {0, mx, width - mx, width};
  const int y_edges[] = {0, my, height - my, height};
  for (const extent step : directions) {
    const int* const x = x_edges + (step.x + 1);
    const int* const y = y_edges + (step.y + 1);
    const rect region{x[0], y[0], x[1], y[1]};
    if (!region.empty()) result.pieces.push_back({region, needs_of(shape, region)});
  }
  return result;
}

extent layout::place_of(unsigned rank) const noexcept {
  const int index = static_cast<int>(rank);
  return {index % ranks.x, index / ranks.x};
}

unsigned layout::neighbour(unsigned rank, std::size_t direction) const noexcept {
  const extent place = place_of(rank);
  const int x = (place.x + directions[direction].x + ranks.x) % ranks.x;
  const int y = (place.y + directions[direction].y + ranks.y) % ranks.y;
  return static_cast<unsigned>(y * ranks.x + x);
}

rect layout::part_of(unsigned rank) const noexcept {
  const extent place = place_of(rank);
  return {begin_of(points.x, ranks.x, place.x), begin_of(points.y, ranks.y, place.y),
          begin_of(points.x, ranks.x, place.x + 1), begin_of(points.y, ranks.y, place.y + 1)};
}

block layout::block_of(unsigned rank) const noexcept {
  const rect part = part_of(rank);
  const rect largest = part_of(0);
  block result{.size = {part.width(), part.height()}, .radius = radius};
  const int left = rounded_up(radius);
  result.pitch = left + rounded_up(largest.width() + radius);
  result.origin = radius * result.pitch + left;
  const std::ptrdiff_t rows = largest.height() + 2 * radius;
  result.elements = static_cast<std::size_t>(rows * result.pitch);
  return result;
}

bool layout::fits() const noexcept {
  return points.x / ranks.x >= radius && points.y / ranks.y >= radius;
}

extent nearest_to_square(unsigned ranks) noexcept {
  int width = 1;
  const int count = static_cast<int>(ranks);
  for (int each = 1; each * each <= count; ++each)
    if (count % each == 0) width = each;
  return {width, count / width};
}

}  // namespace stencil2d
