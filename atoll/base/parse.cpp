// SPDX-License-Identifier: BSD-3-Clause
//
// The parsers. No locale takes part, and none of these is on a data path.
#include <atoll/base/parse.hpp>

#include <algorithm>
#include <cmath>

namespace atl {
namespace {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool same_word(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<bool> parse_flag(std::string_view text) noexcept {
  for (std::string_view word : {"1", "y", "yes", "true", "on"})
    if (same_word(text, word)) return true;
  for (std::string_view word : {"0", "n", "no", "false", "off"})
    if (same_word(text, word)) return false;
  return std::nullopt;
}

size_unit leading_size_unit(std::string_view text) noexcept {
  constexpr std::string_view letters = "bkmgt";
  if (text.empty()) return {};
  const auto power = letters.find(lower(text.front()));
  if (power == std::string_view::npos) return {};
  std::size_t length = 1;
  if (power > 0) {
    if (same_word(text.substr(1, 2), "ib")) {
      length = 3;
    } else if (same_word(text.substr(1, 1), "b")) {
      length = 2;
    }
  }
  return {.shift = 10 * static_cast<unsigned>(power), .length = length};
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept {
  const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_number(text.substr(0, digits));
  const std::string_view behind = text.substr(digits);
  const size_unit unit = leading_size_unit(behind);
  if (!number || unit.length != behind.size()) return std::nullopt;
  if (*number > (~std::uint64_t{0} >> unit.shift)) return std::nullopt;
  return *number << unit.shift;
}

double size_amount::bytes(double unit_bytes) const noexcept {
  return shift ? std::ldexp(number, static_cast<int>(*shift)) : number * unit_bytes;
}

std::optional<size_amount> parse_amount(std::string_view text) noexcept {
  size_amount amount;
  const auto [stop, failure] =
      std::from_chars(text.data(), text.data() + text.size(), amount.number);
  if (failure != std::errc{} || !std::isfinite(amount.number)) return std::nullopt;
  std::string_view behind = text.substr(static_cast<std::size_t>(stop - text.data()));
  while (!behind.empty() && behind.front() == ' ') behind.remove_prefix(1);
  const size_unit unit = leading_size_unit(behind);
  if (unit.length != behind.size()) return std::nullopt;
  if (unit.length != 0) amount.shift = unit.shift;
  return amount;
}

std::optional<std::int64_t> parse_size(std::string_view text, size_terms terms) noexcept {
  const auto amount = parse_amount(text);
  if (!amount) return std::nullopt;
  const double bytes = std::ceil(amount->bytes(terms.unit_bytes));
  if (!(bytes >= terms.least && bytes <= terms.most)) return std::nullopt;
  return static_cast<std::int64_t>(std::clamp(bytes, -0x1p62, 0x1p62));
}

}  // namespace atl
