// SPDX-License-Identifier: BSD-3-Clause
//
// The text of PMI-1, the protocol between processes and the launchers of MPICH, Intel MPI and
// others: a message is a line of words NAME=VALUE, the first of which is cmd=WHAT. Values hold no
// blanks, and launchers bound their length, so what is not text travels as hexadecimal digits.
//
// Everything here parses bytes from another process. No state and no sockets.
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::bootstrap::pmi1_wire {

/// The longest line that is read.
inline constexpr std::size_t line_bytes_max = 64 * 1024;

/// One line without its end, taken apart. The views point into that line.
class pmi1_message {
 public:
  explicit pmi1_message(std::string_view line);

  std::string_view command() const { return value("cmd"); }

  /// The value of a word; empty where the line has no such word, the first of two.
  std::string_view value(std::string_view name) const;

  /// A number of decimal digits, perhaps after a minus.
  std::optional<std::int64_t> number(std::string_view name) const;

  /// Whether the launcher has done what was asked: rc=0, or no rc at all.
  bool is_success() const;

 private:
  struct word {
    std::string_view name;
    std::string_view value;
  };
  std::vector<word> words_;
};

std::string to_hex(std::span<const std::byte> raw);

/// The bytes of these digits; nothing when the text has other characters or an odd length.
std::optional<blob> from_hex(std::string_view text);

}  // namespace atl::bootstrap::pmi1_wire
