// SPDX-License-Identifier: BSD-3-Clause
//
// The comparisons that follow from == and <, which a class of a total order says itself: it derives
// from ordered<itself>. For the headers that programs in C++17 include; the compiler derives them
// from C++20 on. A program in C++20 also has <=>.
#pragma once

#include <version>

#if defined(__cpp_lib_three_way_comparison)
#include <compare>
#endif

namespace atl {

template <class T>
struct ordered {
  friend constexpr bool operator!=(const T& a, const T& b) noexcept { return !(a == b); }
  friend constexpr bool operator>(const T& a, const T& b) noexcept { return b < a; }
  friend constexpr bool operator<=(const T& a, const T& b) noexcept { return !(b < a); }
  friend constexpr bool operator>=(const T& a, const T& b) noexcept { return !(a < b); }
#if defined(__cpp_lib_three_way_comparison)
  friend constexpr std::strong_ordering operator<=>(const T& a, const T& b) noexcept {
    if (a < b) return std::strong_ordering::less;
    return b < a ? std::strong_ordering::greater : std::strong_ordering::equal;
  }
#endif
};

}  // namespace atl
