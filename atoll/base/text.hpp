// SPDX-License-Identifier: BSD-3-Clause
//
// Small texts for messages: `text("rank ", 3, " of ", size)` joins its operands into a string.
// Numbers are written by std::to_chars, so no locale changes a message and no stream is
// constructed. Addresses print in hexadecimal, truth values as words, enumerations as their number.
// For messages and reports only; nothing here belongs on a data path.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace atl {

/// A number to be written as 0x... by `text`.
struct hex {
  std::uint64_t value;
  explicit hex(std::uint64_t number) noexcept : value(number) {}
  explicit hex(const volatile void* address) noexcept
      : value(reinterpret_cast<std::uintptr_t>(address)) {}
};

/// Appends digits of a number in base 10 or 16.
template <class Number>
void append_digits(std::string& to, Number number, int base = 10) {
  std::array<char, 32> digits;
  const auto [end, failure] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  to.append(digits.data(), failure == std::errc{} ? end : digits.data());
}

inline void append_text(std::string& to, hex number) {
  to += "0x";
  append_digits(to, number.value, 16);
}

/// Appends one operand of `text`. A type of another header joins by an overload of this name in its
/// own namespace.
template <class Operand>
void append_text(std::string& to, const Operand& operand) {
  if constexpr (std::same_as<Operand, bool>) {
    to += operand ? "true" : "false";
  } else if constexpr (std::same_as<Operand, char>) {
    to += operand;
  } else if constexpr (std::integral<Operand>) {
    append_digits(to, operand);
  } else if constexpr (std::floating_point<Operand>) {
    std::array<char, 64> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), operand).ptr;
    to.append(digits.data(), end);
  } else if constexpr (std::is_enum_v<Operand>) {
    append_digits(to, +static_cast<std::underlying_type_t<Operand>>(operand));
  } else if constexpr (std::is_null_pointer_v<Operand>) {
    append_text(to, hex(std::uint64_t{0}));
  } else if constexpr (std::convertible_to<const Operand&, std::string_view>) {
    to += std::string_view(operand);
  } else {
    static_assert(std::is_pointer_v<Operand>,
                  "text(): give append_text(std::string&, const T&) for this type");
    append_text(to, hex(operand));
  }
}

/// Joins its operands into one string.
template <class... Operands>
std::string text(const Operands&... operands) {
  std::string joined;
  (append_text(joined, operands), ...);
  return joined;
}

/// A size for people: "640 B", "4 KiB", "1.5 GiB" - at most one decimal, rounded to the nearest.
std::string bytes_text(std::uint64_t size_bytes);

}  // namespace atl
