// SPDX-License-Identifier: BSD-3-Clause
//
// Rounding of sizes and offsets to a unit, and the page by which memory of a job is laid out. All
// ranks of a host compute the same layout, so the page is a constant; what asks the kernel about
// single pages asks it for their size too.
#pragma once

#include <cstddef>

namespace atl {

/// The next multiple of `unit`; the caller knows that it fits.
constexpr std::size_t round_up(std::size_t number, std::size_t unit) noexcept {
  return (number + unit - 1) / unit * unit;
}

constexpr std::size_t round_down(std::size_t number, std::size_t unit) noexcept {
  return number / unit * unit;
}

/// How many pieces of `unit` hold `number`.
constexpr std::size_t pieces_of(std::size_t number, std::size_t unit) noexcept {
  return (number + unit - 1) / unit;
}

inline constexpr std::size_t page_bytes = 4096;

}  // namespace atl
