// SPDX-License-Identifier: BSD-3-Clause
//
// The innermost dimension of an assignment of sections: elements at equal distances, or those that
// a vector subscript chooses, converted where the types differ.
#pragma once

#include <front/coarray/data/convert.hpp>
#include <front/coarray/data/index_list.hpp>

#include <cstddef>

namespace atl::coarray {

/// Elements of one row; `chosen` is null where they lie at equal distances.
struct row_of_elements {
  std::byte* first;
  std::ptrdiff_t stride_bytes;
  element item;
  const index_list* chosen;
};

/// Assigns `count` elements, which do not overlap; `convert` is the loop for their types. Indices
/// are in the ranges of their lists.
void assign_row(const row_of_elements& to, const row_of_elements& from, std::size_t count,
                convert_function convert) noexcept;

/// The same for indices that may be outside: false where one is, or where the indices are of a kind
/// that is not examined. Elements in front of it may be assigned then.
bool assign_row_in_range(const row_of_elements& to, const row_of_elements& from, std::size_t count,
                         convert_function convert) noexcept;

}  // namespace atl::coarray
