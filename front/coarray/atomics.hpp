// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic subroutines on integers and logicals of 4 and 8 bytes in the coarrays of any image; image
// 0 is this one. A logical is an integer of its size.
#pragma once

#include <atoll/base/atomic_ops.hpp>
#include <front/coarray/coarray.hpp>

#include <cstddef>

namespace atl::coarray {

/// The object of an atomic subroutine: `offset` bytes behind the first of the coarray.
struct atomic_object {
  const coarray* object;
  std::size_t offset;
  int image;
  int kind;
};

/// `old` gets the value before, where it is not null. `operand` and `operand2` are objects of the
/// kind; null: not needed by the operation.
void run_atomic(const char* call, const atomic_object& target, atomic_op op, const void* operand,
                const void* operand2, void* old) noexcept;

}  // namespace atl::coarray
