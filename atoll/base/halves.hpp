// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers of 64 bits as two arguments of an active message: the low half comes first.
#pragma once

#include <cstdint>

namespace atl {

constexpr std::uint32_t low_half(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(number);
}
constexpr std::uint32_t high_half(std::uint64_t number) noexcept {
  return static_cast<std::uint32_t>(number >> 32);
}
constexpr std::uint64_t join_halves(std::uint32_t low, std::uint32_t high) noexcept {
  return low | std::uint64_t{high} << 32;
}

/// Both halves as they lie among the arguments.
constexpr std::uint64_t join_halves(const std::uint32_t* halves) noexcept {
  return join_halves(halves[0], halves[1]);
}

}  // namespace atl
