// SPDX-License-Identifier: BSD-3-Clause
//
// The generated data: key number n, and the value that belongs to a key. Both are computed, so any
// rank can check any answer. Different numbers have different keys, so how many there are is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace kv {

using key_number = std::uint64_t;
using generated_key = std::uint64_t;
using generated_value = std::string;

/// Keys first to last - 1 of the stream.
struct key_range {
  key_number first = 0;
  key_number last = 0;
};

/// Part `part` of `parts`.
key_range part_of(key_range range, std::uint64_t part, std::uint64_t parts) noexcept;

class key_stream {
 public:
  key_stream(std::uint64_t seed, std::size_t value_bytes) noexcept;
  generated_key key(key_number n) const noexcept;
  generated_value value(generated_key source_key) const;
  std::size_t value_bytes() const noexcept { return value_bytes_; }

 private:
  std::uint64_t seed_;
  std::size_t value_bytes_;
};

/// Counts of looked-up keys, by result.
struct tally {
  std::uint64_t found = 0;
  std::uint64_t wrong = 0;  // found with another value
  std::uint64_t absent = 0;

  void count(const key_stream& stream, generated_key key,
             const std::optional<generated_value>& got);
};

}  // namespace kv
