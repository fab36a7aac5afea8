// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in operations: one loop per type and operation, simple enough for the compiler to
// vectorize. Sums of signed numbers are computed unsigned, where wrapping is defined; narrow ones
// in unsigned int, since their products would overflow the int that they are promoted to.
#include <atoll/coll/reduction.hpp>

#include <atoll/base/assert.hpp>

#include <type_traits>

namespace atl::coll {

namespace {

// The type in which arithmetic on T wraps without undefined behaviour.
template <class T>
struct wrapping {
  using type = std::conditional_t<(sizeof(T) < 4), std::uint32_t, std::make_unsigned_t<T>>;
};
template <>
struct wrapping<float> {
  using type = float;
};
template <>
struct wrapping<double> {
  using type = double;
};
template <class T>
using wrapping_type = typename wrapping<T>::type;

template <reduce_operation What, class T>
constexpr T apply(T a, T b) noexcept {
  using W = wrapping_type<T>;
  if constexpr (What == reduce_operation::add) {
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  } else if constexpr (What == reduce_operation::mult) {
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  } else if constexpr (What == reduce_operation::min) {
    return b < a ? b : a;
  } else if constexpr (What == reduce_operation::max) {
    return a < b ? b : a;
  } else if constexpr (What == reduce_operation::and_) {
    return static_cast<T>(a & b);
  } else if constexpr (What == reduce_operation::or_) {
    return static_cast<T>(a | b);
  } else {
    return static_cast<T>(a ^ b);
  }
}

template <reduce_operation What, class T>
void combine_all(const void* a, void* b_and_out, std::size_t count, const void*) {
  const T* __restrict const first = static_cast<const T*>(a);
  T* __restrict const second = static_cast<T*>(b_and_out);
  for (std::size_t i = 0; i < count; ++i) second[i] = apply<What>(first[i], second[i]);
}

template <class T>
combine_function function_of(reduce_operation operation) noexcept {
  switch (operation) {
    case reduce_operation::add:
      return combine_all<reduce_operation::add, T>;
    case reduce_operation::mult:
      return combine_all<reduce_operation::mult, T>;
    case reduce_operation::min:
      return combine_all<reduce_operation::min, T>;
    case reduce_operation::max:
      return combine_all<reduce_operation::max, T>;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == reduce_operation::and_) return combine_all<reduce_operation::and_, T>;
    if (operation == reduce_operation::or_) return combine_all<reduce_operation::or_, T>;
    if (operation == reduce_operation::xor_) return combine_all<reduce_operation::xor_, T>;
  }
  return nullptr;
}

}  // namespace

reduction built_in(reduce_operation operation, data_type type) noexcept {
  ATOLL_ASSERT(is_defined(operation, type), "a reduction that is not defined for its type",
               static_cast<unsigned>(operation), static_cast<unsigned>(type));
  return with_type(type, [&]<class T>(T) {
    return reduction{.element_bytes = sizeof(T), .combine = function_of<T>(operation)};
  });
}

}  // namespace atl::coll
