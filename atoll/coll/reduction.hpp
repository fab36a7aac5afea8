// SPDX-License-Identifier: BSD-3-Clause
//
// The operation of a reduction: it combines elements of a fixed size, by a function that need not
// be commutative but is associative. The order is that of the members: the result is x0 OP x1 OP x2
// ..., and an algorithm always combines a part with the part that follows it. Built-in operations
// exist for every type of base/data_type.hpp; a client's own operation brings a function and a
// context.
#pragma once

#include <atoll/base/data_type.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coll {

/// Combines `count` elements: b = a OP b, where a comes from members before those of b. The ranges
/// do not overlap. Runs inside of progress on any thread of the rank, one call at a time; it may
/// not communicate.
using combine_function = void (*)(const void* a, void* b_and_out, std::size_t count,
                                  const void* context);

enum class reduce_operation : std::uint8_t { add, mult, min, max, and_, or_, xor_, count };

/// A value; `context` must live until the reduction is complete.
struct reduction {
  std::size_t element_bytes = 0;
  combine_function combine = nullptr;
  const void* context = nullptr;
  bool commutative = true;

  /// b = a OP b.
  void operator()(const void* a, void* b_and_out, std::size_t count) const {
    combine(a, b_and_out, count, context);
  }
};

/// Whether the operation is defined for the type: and, or, xor are for integers only.
constexpr bool is_defined(reduce_operation operation, data_type type) noexcept {
  return operation < reduce_operation::and_ ||
         (operation < reduce_operation::count && !is_floating(type));
}

/// A built-in operation that is_defined. Integer sums and products wrap.
reduction built_in(reduce_operation operation, data_type type) noexcept;

}  // namespace atl::coll
