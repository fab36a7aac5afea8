// SPDX-License-Identifier: BSD-3-Clause
//
// The parsers and the printers of numbers. Integers never pass through a floating-point number
// unless they are written with a fraction, so that every 64-bit value survives print and parse.
#include <front/gex/tools/numbers.hpp>

#include <atoll/base/parse.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace atl::gex {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::size_t blanks(std::string_view text) noexcept {
  std::size_t count = 0;
  while (count < text.size() && is_blank(text[count])) ++count;
  return count;
}

/// Blanks and a sign before a number.
struct lead {
  std::size_t length;
  bool negative;
};
lead leading(std::string_view text) noexcept {
  std::size_t position = blanks(text);
  if (position < text.size() && (text[position] == '-' || text[position] == '+'))
    return {position + 1, text[position] == '-'};
  return {position, false};
}

std::int64_t with_sign(std::uint64_t magnitude, bool negative) noexcept {
  if (negative)
    return magnitude > std::uint64_t{1} << 63 ? smallest
                                              : -static_cast<std::int64_t>(magnitude - 1) - 1;
  return magnitude > static_cast<std::uint64_t>(largest) ? largest
                                                         : static_cast<std::int64_t>(magnitude);
}

parsed<std::uint64_t> parse_magnitude(std::string_view text) noexcept {
  const bool is_hex = text.size() > 2 && text[0] == '0' && lower(text[1]) == 'x';
  const char* begin = text.data() + (is_hex ? 2 : 0);
  const char* end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [stop, failure] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
  if (failure == std::errc::result_out_of_range) value = ~std::uint64_t{0};
  if (failure == std::errc::invalid_argument) return {0, is_hex ? std::size_t{1} : 0};
  return {value, static_cast<std::size_t>(stop - text.data())};
}

/// How many bytes a unit stands for, and its characters; the default unit when there is none.
parsed<std::uint64_t> parse_unit(std::string_view text, std::uint64_t unit) noexcept {
  const std::size_t start = blanks(text);
  const size_unit found = leading_size_unit(text.substr(start));
  if (found.length == 0) return {unit, 0};
  return {std::uint64_t{1} << found.shift, start + found.length};
}

bool has_fraction(std::string_view text) noexcept {
  const auto end = text.find_first_not_of("0123456789");
  return end != std::string_view::npos && text[end] == '.';
}

std::uint64_t bounded(double value) noexcept {
  return value < 0x1p63 ? static_cast<std::uint64_t>(value) : std::uint64_t{1} << 63;
}

}  // namespace

std::optional<bool> parse_yes_no(std::string_view text) noexcept {
  for (std::string_view word : {"1", "y", "yes"})
    if (same_word(text, word)) return true;
  for (std::string_view word : {"0", "n", "no"})
    if (same_word(text, word)) return false;
  return std::nullopt;
}

parsed<std::int64_t> parse_integer(std::string_view text) noexcept {
  const auto [start, negative] = leading(text);
  const auto magnitude = parse_magnitude(text.substr(start));
  if (magnitude.length == 0) return {};
  return {with_sign(magnitude.value, negative), start + magnitude.length};
}

parsed<std::int64_t> parse_memory(std::string_view text, std::uint64_t unit) noexcept {
  const auto [start, negative] = leading(text);
  std::string_view tail = text.substr(start);
  if (has_fraction(tail)) {
    double number = 0;
    const auto stop =
        std::from_chars(tail.data(), tail.data() + tail.size(), number, std::chars_format::fixed)
            .ptr;
    const auto digits = static_cast<std::size_t>(stop - tail.data());
    if (digits == 0) return {};
    const auto scale = parse_unit(tail.substr(digits), unit);
    const double amount = std::round(number * static_cast<double>(scale.value));
    return {with_sign(bounded(amount), negative), start + digits + scale.length};
  }
  const auto magnitude = parse_magnitude(tail);
  if (magnitude.length == 0) return {};
  const auto scale = parse_unit(tail.substr(magnitude.length), unit);
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(magnitude.value, scale.value, &product)) product = ~std::uint64_t{0};
  return {with_sign(product, negative), start + magnitude.length + scale.length};
}

parsed<double> parse_real(std::string_view text) noexcept {
  const auto [start, negative] = leading(text);
  const std::string_view tail = text.substr(start);
  double number = 0;
  const auto [stop, failure] = std::from_chars(tail.data(), tail.data() + tail.size(), number);
  if (failure != std::errc{}) return {};
  if (negative) number = -number;
  const std::size_t length = start + static_cast<std::size_t>(stop - tail.data());
  if (length >= text.size() || text[length] != '/') return {number, length};
  const auto divisor = parse_real(text.substr(length + 1));
  if (divisor.length == 0) return {number, length};
  return {number / divisor.value, length + 1 + divisor.length};
}

std::string integer_text(std::int64_t value) { return text(value); }

std::string memory_text(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes != 0 && unit + 1 < units.size() && bytes % 1024 == 0) {
    bytes /= 1024;
    ++unit;
  }
  return text(bytes, " ", units[unit]);
}

}  // namespace atl::gex
