// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers as people write them in the environment: yes and no, integers, amounts of memory with
// fractions and units, fractions. Each parser takes a text that may come from anywhere and says how
// much of it was a number, so that the caller decides what to do with the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::gex {

/// A number and how many characters of the text it took; 0 when there was none.
template <class Number>
struct parsed {
  Number value = 0;
  std::size_t length = 0;
};

/// Y, yes, 1 or N, no, 0, in any case.
std::optional<bool> parse_yes_no(std::string_view text) noexcept;

/// An integer, decimal or 0x hexadecimal, with a sign, held within 64 bits.
parsed<std::int64_t> parse_integer(std::string_view text) noexcept;

/// An amount of memory in bytes: a number with a fraction and a unit of 1024's powers (B, K, KB,
/// KiB ... T, TB, TiB), `unit` where there is none. Amounts beyond 64 bits become the largest.
parsed<std::int64_t> parse_memory(std::string_view text, std::uint64_t unit) noexcept;

/// "1.5", "-1e4", "3/8".
parsed<double> parse_real(std::string_view text) noexcept;

/// The number, or the amount in the largest unit that divides it: "512 MB".
std::string integer_text(std::int64_t value);
std::string memory_text(std::int64_t bytes);

}  // namespace atl::gex
