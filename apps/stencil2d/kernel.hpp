// SPDX-License-Identifier: BSD-3-Clause
//
// The loop in which all variants, ours and those for MPI, spend their time:
//
//     out(x, y) = sum over dy, dx from -radius to radius of weight(dx, dy) * in(x + dx, y + dy)
//
// The sum of a point is always formed in the same order, dy first, and rounded in the same way,
// whatever region it is part of, so all variants give the same bits. kernel.cpp is compiled once
// per instruction set and `best_kernel` picks at run time.
#pragma once

#include <cstddef>
#include <string_view>

namespace stencil2d {

inline constexpr int radius_max = 16;

/// A region to compute: `in` and `out` are the places of its first point in two fields of the same
/// layout that do not overlap. The points that are read reach `radius` further on all sides.
struct region_work {
  const double* in;
  double* out;
  std::ptrdiff_t pitch;
  int width;
  int height;
};

/// The weights, row by row, (2 radius + 1)^2 of them.
struct weight_table {
  const double* weights;
  int radius;  // 1 to radius_max
};

struct kernel {
  std::string_view name;
  bool fused;  // a product and its addition are rounded once
  void (*apply)(const region_work& work, const weight_table& table);
};

/// The kernel for this processor.
const kernel& best_kernel() noexcept;

/// All that this processor can run, slowest first.
struct kernel_list {
  const kernel* entries[3];
  std::size_t count;
};
kernel_list usable_kernels() noexcept;

}  // namespace stencil2d
