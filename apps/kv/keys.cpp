// SPDX-License-Identifier: BSD-3-Clause
//
// Keys are numbers put through a mixer of 64 bits that can be undone (two multiplications and three
// shifts, as in SplitMix64), so no two of them are equal and their order looks random.
#include <apps/kv/keys.hpp>

#include <algorithm>
#include <cstring>

namespace kv {
namespace {

std::uint64_t mix(std::uint64_t x) noexcept {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

key_range part_of(key_range range, std::uint64_t part, std::uint64_t parts) noexcept {
  const key_number count = range.last - range.first;
  const key_number each = count / parts;
  const key_number larger = count % parts;  // the first so many have one more
  const key_number first = range.first + part * each + std::min(part, larger);
  return {first, first + each + (part < larger ? 1 : 0)};
}

key_stream::key_stream(std::uint64_t seed, std::size_t value_bytes) noexcept
    : seed_(mix(seed)), value_bytes_(value_bytes) {}

generated_key key_stream::key(key_number n) const noexcept { return mix(n ^ seed_); }

generated_value key_stream::value(generated_key source_key) const {
  generated_value bytes(value_bytes_, '\0');
  for (std::size_t offset = 0; offset < value_bytes_; offset += sizeof(std::uint64_t)) {
    const std::uint64_t word = source_key + offset;
    std::memcpy(&bytes[offset], &word, std::min(sizeof word, value_bytes_ - offset));
  }
  return bytes;
}

void tally::count(const key_stream& stream, generated_key key,
                  const std::optional<generated_value>& got) {
  if (!got) {
    ++absent;
  } else if (*got == stream.value(key)) {
    ++found;
  } else {
    ++wrong;
  }
}

}  // namespace kv
