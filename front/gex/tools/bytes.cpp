// SPDX-License-Identifier: BSD-3-Clause
//
// Ranges of bytes, eight at a time. Each byte of a word has a count of its own, as long as that
// cannot overflow, and then the counts are added up: compilers make vector instructions of this.
#include <gasnettools_bytes.h>

#include <algorithm>
#include <cstring>

namespace {

constexpr size_t word_bytes = sizeof(uint64_t);
constexpr size_t most_words = 255;  // whose counts fit a byte

uint64_t word_at(const char* from) noexcept {
  uint64_t word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// The last bytes of a range, fewer than a word, and `fill` in all others.
uint64_t tail_at(const char* from, size_t bytes, uint64_t fill) noexcept {
  if (bytes > 0) std::memcpy(&fill, from, bytes);
  return fill;
}

size_t sum_of_bytes(uint64_t word) noexcept {
  size_t sum = 0;
  for (; word != 0; word >>= 8) sum += word & 0xff;
  return sum;
}

/// The mixing step of xorshift-multiply generators: every bit of the input reaches every output
/// bit.
uint64_t mixed(uint64_t x) noexcept {
  x ^= x >> 32;
  x *= UINT64_C(0x9e3779b97f4a7c15);
  x ^= x >> 29;
  return x;
}

}  // namespace

size_t gasnett_count0s(const void* from, size_t bytes) {
  const char* source = static_cast<const char*>(from);
  size_t zeros = 0;
  while (bytes >= word_bytes) {
    const size_t words = std::min(bytes / word_bytes, most_words);
    uint64_t counts = 0;
    for (size_t i = 0; i < words; ++i)
      counts += atoll_tools_zero_bytes(word_at(source + i * word_bytes));
    zeros += sum_of_bytes(counts);
    source += words * word_bytes;
    bytes -= words * word_bytes;
  }
  return zeros + sum_of_bytes(atoll_tools_zero_bytes(tail_at(source, bytes, ~uint64_t{0})));
}

size_t gasnett_count0s_copy(void* to, const void* from, size_t bytes) {
  constexpr size_t piece = 16384;  // is still in the cache when it is counted
  size_t zeros = 0;
  for (size_t done = 0; done < bytes;) {
    const size_t now = std::min(piece, bytes - done);
    const char* const source = static_cast<const char*>(from) + done;
    std::memcpy(static_cast<char*>(to) + done, source, now);
    zeros += gasnett_count0s(source, now);
    done += now;
  }
  return zeros;
}

uint64_t gasnett_checksum(const void* from, int bytes) {
  const char* source = static_cast<const char*>(from);
  size_t left = bytes > 0 ? static_cast<size_t>(bytes) : 0;
  uint64_t sum = mixed(left + 1);
  for (; left >= word_bytes; left -= word_bytes, source += word_bytes)
    sum = mixed(sum ^ word_at(source));
  return left == 0 ? sum : mixed(sum ^ tail_at(source, left, 0));
}
