// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel, compiled once per instruction set, with ATOLL_STENCIL_LANES doubles per register,
// ATOLL_STENCIL_FUSED saying whether products are added in one rounding (the compiler's options do
// the same for all expressions), and ATOLL_STENCIL_KERNEL naming the table that the file defines.
//
// A tile is one register wide and four rows high. Each row that it reads is loaded once per place
// and adds to the sums of up to four rows; the weights of radius 1 stay in registers. The last tile
// of a row overlaps points that are already done, and computes the same bits again, so no second
// loop is needed for the remainder. Regions narrower than a register are computed point by point.
//
// No function here may be shared with code compiled for another instruction set: everything but
// the table has internal linkage, and nothing from the standard library is called.
#include <apps/stencil2d/kernel.hpp>

#include <type_traits>
#include <utility>

namespace stencil2d {
namespace {

constexpr int lane_count = ATOLL_STENCIL_LANES;
constexpr int tile_rows = 4;

using lanes [[gnu::vector_size(lane_count * sizeof(double)), gnu::may_alias]] = double;
// The same anywhere in memory.
using unaligned_lanes [[gnu::vector_size(lane_count * sizeof(double)), gnu::may_alias,
                        gnu::aligned(sizeof(double))]] = double;

// Inlining is forced because a vector that is passed by value would depend on the instruction set.
#define ATOLL_STENCIL_INLINE [[gnu::always_inline]] static inline

template <class Body, int... Index>
ATOLL_STENCIL_INLINE void unrolled(Body body, std::integer_sequence<int, Index...>) {
  (body(std::integral_constant<int, Index>()), ...);
}

// Calls body(integral_constant 0), ..., body(integral_constant Count - 1).
template <int Count, class Body>
ATOLL_STENCIL_INLINE void unrolled(Body body) {
  unrolled(body, std::make_integer_sequence<int, Count>());
}

struct fields {
  const double* in;
  double* out;
  std::ptrdiff_t pitch;
};

template <int Radius, int Rows>
ATOLL_STENCIL_INLINE void tile(const fields& place, const double* weights) {
  constexpr int side = 2 * Radius + 1;
  lanes sums[Rows] = {};  // from zero: of two products either could be the one that is fused
  unrolled<Rows + 2 * Radius>([&](auto row) __attribute__((always_inline)) {
    constexpr int y = decltype(row)::value;
    const double* const from = place.in + (y - Radius) * place.pitch - Radius;
    unrolled<side>([&](auto column) __attribute__((always_inline)) {
      constexpr int x = decltype(column)::value;
      const lanes value = *reinterpret_cast<const unaligned_lanes*>(from + x);
      unrolled<Rows>([&](auto target) __attribute__((always_inline)) {
        constexpr int row_out = decltype(target)::value;
        constexpr int dy = y - row_out;
        if constexpr (dy >= 0 && dy < side) sums[row_out] += weights[dy * side + x] * value;
      });
    });
  });
  unrolled<Rows>([&](auto target) __attribute__((always_inline)) {
    constexpr int row_out = decltype(target)::value;
    *reinterpret_cast<unaligned_lanes*>(place.out + row_out * place.pitch) = sums[row_out];
  });
}

// Any radius, one row.
ATOLL_STENCIL_INLINE void any_tile(const fields& place, const weight_table& table) {
  const int side = 2 * table.radius + 1;
  const double* weight = table.weights;
  const double* from = place.in - table.radius * place.pitch - table.radius;
  lanes sum = {};
  for (int y = 0; y < side; ++y, from += place.pitch) {
    for (int x = 0; x < side; ++x, ++weight)
      sum += *weight * *reinterpret_cast<const unaligned_lanes*>(from + x);
  }
  *reinterpret_cast<unaligned_lanes*>(place.out) = sum;
}

// Adds a product in one rounding or two, as for registers; from a plain expression the compiler
// would vectorize over several points and round each product.
ATOLL_STENCIL_INLINE double added(double sum, double weight, double value) {
  if constexpr (ATOLL_STENCIL_FUSED) return __builtin_fma(weight, value, sum);
  return sum + weight * value;
}

ATOLL_STENCIL_INLINE void point(const fields& place, const weight_table& table) {
  const int side = 2 * table.radius + 1;
  const double* weight = table.weights;
  const double* from = place.in - table.radius * place.pitch - table.radius;
  double sum = 0;
  for (int y = 0; y < side; ++y, from += place.pitch) {
    for (int x = 0; x < side; ++x, ++weight) sum = added(sum, *weight, from[x]);
  }
  *place.out = sum;
}

ATOLL_STENCIL_INLINE fields moved(const region_work& work, std::ptrdiff_t x, std::ptrdiff_t y) {
  const std::ptrdiff_t offset = y * work.pitch + x;
  return {work.in + offset, work.out + offset, work.pitch};
}

// All tiles of some rows.
template <class Tile>
ATOLL_STENCIL_INLINE void strip(const region_work& work, int y, Tile make) {
  int x = 0;
  for (; x + lane_count <= work.width; x += lane_count) make(moved(work, x, y));
  if (x < work.width) make(moved(work, work.width - lane_count, y));
}

template <int Radius>
void apply_radius(const region_work& work, const double* given) {
  constexpr int count = (2 * Radius + 1) * (2 * Radius + 1);
  double weights[count];  // by value: a store to `out` could change what is behind a pointer
  for (int i = 0; i < count; ++i) weights[i] = given[i];
  int y = 0;
  for (; y + tile_rows <= work.height; y += tile_rows) {
    strip(work, y, [&](const fields& place) __attribute__((always_inline)) {
      tile<Radius, tile_rows>(place, weights);
    });
  }
  for (; y < work.height; ++y) {
    strip(work, y, [&](const fields& place) __attribute__((always_inline)) {
      tile<Radius, 1>(place, weights);
    });
  }
}

void apply_any(const region_work& work, const weight_table& table) {
  for (int y = 0; y < work.height; ++y) {
    strip(work, y,
          [&](const fields& place) __attribute__((always_inline)) { any_tile(place, table); });
  }
}

void apply_points(const region_work& work, const weight_table& table) {
  for (int y = 0; y < work.height; ++y)
    for (int x = 0; x < work.width; ++x) point(moved(work, x, y), table);
}

void apply(const region_work& work, const weight_table& table) {
  if (work.width < lane_count) return apply_points(work, table);
  switch (table.radius) {
    case 1:
      return apply_radius<1>(work, table.weights);
    case 2:
      return apply_radius<2>(work, table.weights);
    case 3:
      return apply_radius<3>(work, table.weights);
    case 4:
      return apply_radius<4>(work, table.weights);
    default:
      return apply_any(work, table);
  }
}

}  // namespace

#define ATOLL_STENCIL_TEXT(name) #name
#define ATOLL_STENCIL_NAME(name) ATOLL_STENCIL_TEXT(name)

extern const kernel ATOLL_STENCIL_KERNEL;
const kernel ATOLL_STENCIL_KERNEL{ATOLL_STENCIL_NAME(ATOLL_STENCIL_KERNEL), ATOLL_STENCIL_FUSED,
                                  apply};

}  // namespace stencil2d
