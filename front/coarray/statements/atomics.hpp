// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic subroutines on integers and logicals of 4 and 8 bytes in the coarrays of any image. A
// logical is an integer of its size.
#pragma once

#include <atoll/base/atomic_ops.hpp>
#include <front/coarray/process_state.hpp>
#include <front/coarray/status.hpp>

namespace atl::coarray {

/// An atomic operation. `operand` and `operand2` are objects of the kind, or null where the
/// operation needs none; `old` gets the previous value, unless it is null.
struct atomic_operation {
  atomic_op op;
  const void* operand = nullptr;
  const void* operand2 = nullptr;
  void* old = nullptr;
};

void run_atomic(const char* call, const remote_place& target, int kind,
                const atomic_operation& operation, const status_variables& status) noexcept;

}  // namespace atl::coarray
