// SPDX-License-Identifier: BSD-3-Clause
//
// Words of a text: runs of letters, digits and bytes of other alphabets, in lower case. A text is
// cut into parts by bytes, and a word belongs to the part in which it begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kv {

/// Whether a byte is part of a word.
constexpr bool in_word(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
         (byte >= '0' && byte <= '9') || byte >= 0x80;
}

/// Calls visit(std::string) for each word that begins in text[first, last).
template <class Visit>
void each_word(std::string_view text, std::size_t first, std::size_t last, Visit visit) {
  std::size_t position = first;
  if (position > 0) {
    while (position < last && in_word(text[position - 1]) && in_word(text[position])) ++position;
  }
  while (position < last) {
    if (!in_word(text[position])) {
      ++position;
      continue;
    }
    std::string word;
    for (; position < text.size() && in_word(text[position]); ++position) {
      const char c = text[position];
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    visit(std::move(word));
  }
}

/// A whole file; throws `atl::error` when it cannot be read.
std::string read_file(const std::string& path);

}  // namespace kv
