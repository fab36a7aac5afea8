// SPDX-License-Identifier: BSD-3-Clause
//
// The operations of the collective subroutines on two elements: sums and extremes of the intrinsic
// types, and the user's operation. A reduction whose function is null means that there is none for
// the type.
#pragma once

#include <atoll/coll/reduction.hpp>
#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/statements/collectives.hpp>

#include <cstddef>

namespace atl::coarray {

/// Kind 0: it follows from the size of the numbers.
coll::reduction sum_of(gfortran::type_code type, std::size_t element_bytes, int kind) noexcept;
coll::reduction extreme_of(extreme which, gfortran::type_code type, std::size_t element_bytes,
                           int kind) noexcept;

/// The number of characters, and the bytes of each. Must live until the reduction is complete.
struct text_shape {
  std::size_t length;
  std::size_t letter_bytes;
};
coll::reduction extreme_of_texts(extreme which, std::size_t element_bytes,
                                 const text_shape& shape) noexcept;

/// Must live until the reduction is complete.
struct user_context {
  void* function;
  std::size_t element_bytes;
  std::size_t length;
};
coll::reduction reduction_by_user(const user_operation& operation, gfortran::type_code type,
                                  const user_context& context) noexcept;

}  // namespace atl::coarray
