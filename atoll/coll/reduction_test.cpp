// SPDX-License-Identifier: BSD-3-Clause
//
// Every built-in reduction of every type, beside the same computed in another way; the extremes.
#include <atoll/coll/reduction.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

namespace atl::coll {
namespace {

template <class T>
T reference(reduce_operation operation, T a, T b) {
  const auto wide = [](auto value) { return static_cast<std::uint64_t>(value); };
  switch (operation) {
    case reduce_operation::add:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(wide(a) + wide(b));
      return a + b;
    case reduce_operation::mult:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(wide(a) * wide(b));
      return a * b;
    case reduce_operation::min:
      return std::min(a, b);
    case reduce_operation::max:
      return std::max(a, b);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == reduce_operation::and_) return static_cast<T>(wide(a) & wide(b));
    if (operation == reduce_operation::or_) return static_cast<T>(wide(a) | wide(b));
    return static_cast<T>(wide(a) ^ wide(b));
  } else {
    return a;
  }
}

template <class T>
std::vector<T> samples() {
  using limits = std::numeric_limits<T>;
  return {T(0), T(1), T(3), T(100), T(-1), limits::max(), limits::lowest(), limits::max() / 2,
          T(77)};
}

TEST(reduction, computes_each_built_in_operation_for_each_type) {
  unsigned tested = 0;
  for (unsigned type = 0; type < static_cast<unsigned>(data_type::count); ++type) {
    for (unsigned op = 0; op < static_cast<unsigned>(reduce_operation::count); ++op) {
      const auto operation = static_cast<reduce_operation>(op);
      const auto element_type = static_cast<data_type>(type);
      if (!is_defined(operation, element_type)) continue;
      ++tested;
      const reduction combiner = built_in(operation, element_type);
      EXPECT_EQ(combiner.element_bytes, size_bytes(element_type));
      EXPECT_TRUE(combiner.commutative);
      with_type(element_type, [&]<class T>(T) {
        for (const T a : samples<T>()) {
          std::vector<T> b = samples<T>();
          const std::vector<T> first(b.size(), a);
          std::vector<T> wanted;
          for (const T each : b) wanted.push_back(reference(operation, a, each));
          combiner(first.data(), b.data(), b.size());
          EXPECT_EQ(b, wanted) << "operation " << op << " of type " << type;
        }
      });
    }
  }
  EXPECT_EQ(tested, 8u * 7u + 2u * 4u);
}

TEST(reduction, leaves_bits_of_floating_numbers_alone) {
  EXPECT_FALSE(is_defined(reduce_operation::xor_, data_type::f64));
  EXPECT_FALSE(is_defined(reduce_operation::and_, data_type::f32));
  EXPECT_FALSE(is_defined(reduce_operation::count, data_type::i32));
  EXPECT_TRUE(is_defined(reduce_operation::or_, data_type::i8));
}

}  // namespace
}  // namespace atl::coll
