// SPDX-License-Identifier: BSD-3-Clause
//
// Conversion between the intrinsic types in an assignment (Fortran 2018, 10.2.1.3): integers,
// reals and complex numbers of all kinds among each other, logicals of all kinds, characters with
// truncation and blanks. Elements of one type are copied.
#pragma once

#include <front/coarray/data/section.hpp>

#include <cstddef>

namespace atl::coarray {

/// Rows at equal distances, of elements at equal distances.
struct element_run {
  std::byte* first;
  std::ptrdiff_t stride_bytes;
  element item;
  std::ptrdiff_t row_stride_bytes = 0;
};

/// The number of elements in a row, and the number of rows.
struct run_shape {
  std::size_t count;
  std::size_t rows = 1;
};

using convert_function = void (*)(const element_run& to, const element_run& from,
                                  const run_shape& shape) noexcept;

/// The loop for a pair of types; null where one cannot become the other.
convert_function find_conversion(const element& to, const element& from) noexcept;

}  // namespace atl::coarray
