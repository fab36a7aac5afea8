// SPDX-License-Identifier: BSD-3-Clause
//
// Finding the range of indices. Whether all are in the bounds is computed without a branch, for
// several indices at once: their distances from both bounds have a sign bit only if one is outside.
// If the bit is set, the exact range is found, so that the error message has it.
#include <front/coarray/data/index_list.hpp>

#include <atoll/base/text.hpp>
#include <front/coarray/process_state.hpp>

#include <limits>
#include <type_traits>

namespace atl::coarray {
namespace {

/// Uses the arithmetic of unsigned integers. If an index is so far away that one distance does not
/// fit, it is also far from the other bound, and that distance has the sign bit.
template <class Index>
[[gnu::always_inline]] inline bool look_inside(const std::byte* indices, std::size_t count,
                                               Index low, Index high) noexcept {
  using bits = std::make_unsigned_t<Index>;
  bits outside = 0;
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) {
    bits index;
    std::memcpy(&index, indices + i * sizeof index, sizeof index);
    outside |= static_cast<bits>(index - static_cast<bits>(low)) |
               static_cast<bits>(static_cast<bits>(high) - index);
  }
  return static_cast<Index>(outside) >= 0;
}

#if defined(__x86_64__)
template <class Index>
[[gnu::target("avx2")]] bool look_inside_by_avx2(const std::byte* indices, std::size_t count,
                                                 Index low, Index high) noexcept {
  return look_inside(indices, count, low, high);
}
#endif

template <class Index>
bool are_inside(const std::byte* indices, std::size_t count, Index low, Index high) noexcept {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return look_inside_by_avx2(indices, count, low, high);
#endif
  return look_inside(indices, count, low, high);
}

template <class Index>
bool are_in_bounds(const std::byte* indices, std::size_t count,
                   const index_bounds& bounds) noexcept {
  constexpr std::ptrdiff_t least = std::numeric_limits<Index>::min() / 2;
  constexpr std::ptrdiff_t most = std::numeric_limits<Index>::max() / 2;
  if (bounds.least > bounds.most || bounds.least < least || bounds.most > most) return false;
  return are_inside(indices, count, static_cast<Index>(bounds.least),
                    static_cast<Index>(bounds.most));
}

template <class Index>
index_bounds range_of(const std::byte* indices, std::size_t count) noexcept {
  Index least = std::numeric_limits<Index>::max();
  Index most = std::numeric_limits<Index>::min();
  for (std::size_t i = 0; i < count; ++i) {
    Index index;
    std::memcpy(&index, indices + i * sizeof index, sizeof index);
    least = index < least ? index : least;
    most = index > most ? index : most;
  }
  return {least, most};
}

index_bounds range_of(const index_list& list, std::size_t count) noexcept {
  switch (list.kind) {
    case 1:
      return range_of<std::int8_t>(list.first, count);
    case 2:
      return range_of<std::int16_t>(list.first, count);
    case 4:
      return range_of<std::int32_t>(list.first, count);
    default:
      return range_of<std::int64_t>(list.first, count);
  }
}

// gfortran 12 passes x(list(n:1:-1))[p] with n divided by a step that it does not pass.
[[noreturn]] void refuse_count(std::ptrdiff_t count) noexcept {
  refuse("a coindexed access",
         text("the compiler passes a count of ", count,
              " indices for a vector subscript, as it does for a "
              "section of indices with a negative step"),
         "copy the section of indices to an array, and use that as the subscript");
}

}  // namespace

bool are_in_bounds(const index_list& list, std::size_t count, const index_bounds& bounds) noexcept {
  switch (list.kind) {
    case 4:
      return are_in_bounds<std::int32_t>(list.first, count, bounds);
    case 8:
      return are_in_bounds<std::int64_t>(list.first, count, bounds);
    default:
      return false;
  }
}

void index_list::find_range(std::size_t count) noexcept {
  if (count == 0) return;
  const index_bounds found = range_of(*this, count);
  least = found.least;
  most = found.most;
}

index_list list_indices(const void* indices, int kind, std::size_t count, std::ptrdiff_t lower,
                        const index_bounds& bounds) noexcept {
  if (static_cast<std::ptrdiff_t>(count) < 0) [[unlikely]]
    refuse_count(static_cast<std::ptrdiff_t>(count));
  index_list list{static_cast<const std::byte*>(indices), kind, lower, lower, lower};
  if (are_in_bounds(list, count, bounds)) {
    list.least = bounds.least;
    list.most = bounds.most;
  } else {
    list.find_range(count);
  }
  return list;
}

}  // namespace atl::coarray
