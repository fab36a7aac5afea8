// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that the runtime itself computes with, in remote atomics and in reductions: the types by
// name, so that they can travel in a message, and a way to get from the name to the C++ type once,
// outside of loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace atl {

enum class data_type : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, count };

constexpr std::size_t size_bytes(data_type type) noexcept {
  constexpr std::uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

constexpr bool is_floating(data_type type) noexcept {
  return type == data_type::f32 || type == data_type::f64;
}

/// The number of the same size, 4 or 8 bytes, and signedness that the runtime computes with in
/// place of a program's: long and long long are one. Floating numbers stay what they are.
template <class T>
using core_number = std::conditional_t<
    std::is_floating_point_v<T>, T,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>>;

/// Calls `use` with a zero of the type: `with_type(t, [&]<class T>(T) { ... })`.
template <class Use>
constexpr decltype(auto) with_type(data_type type, Use&& use) {
  switch (type) {
    case data_type::i8:
      return std::forward<Use>(use)(std::int8_t{});
    case data_type::u8:
      return std::forward<Use>(use)(std::uint8_t{});
    case data_type::i16:
      return std::forward<Use>(use)(std::int16_t{});
    case data_type::u16:
      return std::forward<Use>(use)(std::uint16_t{});
    case data_type::i32:
      return std::forward<Use>(use)(std::int32_t{});
    case data_type::u32:
      return std::forward<Use>(use)(std::uint32_t{});
    case data_type::i64:
      return std::forward<Use>(use)(std::int64_t{});
    case data_type::u64:
      return std::forward<Use>(use)(std::uint64_t{});
    case data_type::f32:
      return std::forward<Use>(use)(float{});
    default:
      return std::forward<Use>(use)(double{});
  }
}

}  // namespace atl
