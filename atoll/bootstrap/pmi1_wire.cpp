// SPDX-License-Identifier: BSD-3-Clause
//
// Words and digits of PMI-1.
#include <atoll/bootstrap/pmi1_wire.hpp>

#include <atoll/base/parse.hpp>

namespace atl::bootstrap::pmi1_wire {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

int digit_value(char c) {
  const auto position = digits.find(c);
  return position == std::string_view::npos ? -1 : static_cast<int>(position);
}

}  // namespace

pmi1_message::pmi1_message(std::string_view line) {
  while (!line.empty()) {
    const auto blank = line.find(' ');
    const auto each = line.substr(0, blank);
    line = blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
    const auto equals = each.find('=');
    if (equals == std::string_view::npos) continue;  // a piece of a sentence of the launcher's
    words_.push_back({each.substr(0, equals), each.substr(equals + 1)});
  }
}

std::string_view pmi1_message::value(std::string_view name) const {
  for (const auto& each : words_)
    if (each.name == name) return each.value;
  return {};
}

std::optional<std::int64_t> pmi1_message::number(std::string_view name) const {
  return parse_number<std::int64_t>(value(name));
}

bool pmi1_message::is_success() const { return value("rc").empty() || number("rc") == 0; }

std::string to_hex(std::span<const std::byte> raw) {
  std::string text;
  text.reserve(2 * raw.size());
  for (const auto each : raw) {
    const auto value = std::to_integer<unsigned>(each);
    text += digits[value >> 4];
    text += digits[value & 15];
  }
  return text;
}

std::optional<blob> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  blob raw;
  raw.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit_value(text[i]);
    const int low = digit_value(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    raw.push_back(static_cast<std::byte>(high << 4 | low));
  }
  return raw;
}

}  // namespace atl::bootstrap::pmi1_wire
