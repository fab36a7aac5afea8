// SPDX-License-Identifier: BSD-3-Clause
//
// Values as people and programs write them: words in any case, yes and no, whole numbers, sizes.
// Texts come from outside. Every parser here takes a bounded view, refuses what it does not
// understand in full, and never overflows; the caller words the refusal.
//
// Sizes have units of binary multiples: B, or one of K, M, G, T alone or followed by B or iB, in
// any case ("64M", "64 MiB").
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>

namespace atl {

/// The same letters, capital or small.
bool same_word(std::string_view a, std::string_view b) noexcept;

/// 1, y, yes, true, on; or 0, n, no, false, off.
std::optional<bool> parse_flag(std::string_view text) noexcept;

/// A whole number that fits its type, with nothing before or after it.
template <std::integral Number = std::uint64_t>
std::optional<Number> parse_number(std::string_view text) noexcept {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// A unit of sizes at the beginning of a text.
struct size_unit {
  unsigned shift = 0;      // the unit is 2^shift bytes
  std::size_t length = 0;  // characters; 0: there is no unit
};
size_unit leading_size_unit(std::string_view text) noexcept;

/// A whole number of bytes with or without a unit after it ("4096", "64K"), exact.
std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept;

/// A number with a fraction and perhaps a unit, with or without blanks in between ("1.5 GiB").
struct size_amount {
  double number = 0;
  std::optional<unsigned> shift;  // the unit is 2^shift bytes; empty: there is none

  double bytes(double unit_bytes = 1) const noexcept;  // `unit_bytes` where there is no unit
};
std::optional<size_amount> parse_amount(std::string_view text) noexcept;

/// The meaning of a size: what a number without a unit counts, and the least and the most bytes.
struct size_terms {
  double unit_bytes = 1;
  double least = 0;
  double most = HUGE_VAL;
};

/// The bytes of an amount, rounded up to a whole number, and 2^62 for all that is more; nothing
/// where the text is no amount, or has fewer bytes than the least or more than the most.
std::optional<std::int64_t> parse_size(std::string_view text, size_terms terms = {}) noexcept;

}  // namespace atl
