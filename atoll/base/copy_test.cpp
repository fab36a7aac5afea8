// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of every size and alignment arrive complete and touch nothing beside them, also past the
// cache.
#include <atoll/base/copy.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace atl {
namespace {

void expect_copied(std::size_t bytes, std::size_t to_offset, std::size_t from_offset) {
  std::vector<std::uint8_t> from(bytes + 128), to(bytes + 128, 0xee);
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<std::uint8_t>(i * 7 + i / 300);
  copy_bytes(to.data() + to_offset, from.data() + from_offset, bytes);
  EXPECT_EQ(std::memcmp(to.data() + to_offset, from.data() + from_offset, bytes), 0) << bytes;
  for (std::size_t i = 0; i < to_offset; ++i) EXPECT_EQ(to[i], 0xee);
  for (std::size_t i = to_offset + bytes; i < to.size(); ++i) EXPECT_EQ(to[i], 0xee);
}

TEST(copy, small_sizes_at_every_alignment) {
  for (std::size_t bytes = 0; bytes < 200; ++bytes) {
    expect_copied(bytes, bytes % 64, (bytes * 5) % 64);
  }
}

TEST(copy, larger_sizes_at_every_alignment) {
  for (std::size_t i = 0; i < 400; ++i) {
    expect_copied(copy_ordinary_max - 8 + i, i % 64, (i * 5 + i / 64) % 64);
  }
}

TEST(copy, sizes_beyond_the_cache_at_odd_alignments) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  for (const std::size_t bytes : {mebibyte, 3 * mebibyte + 5, 40 * mebibyte + 63}) {
    expect_copied(bytes, 0, 0);
    expect_copied(bytes, 3, 61);
    expect_copied(bytes, 64, 1);
  }
}

TEST(copy, nothing_touches_nothing) { copy_bytes(nullptr, nullptr, 0); }

}  // namespace
}  // namespace atl
