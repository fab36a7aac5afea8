// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of memory counts the arrays of each grid once, the two buffers of messages once, and
// nothing for variants that do not run.
#include <apps/fft3d/memory.hpp>

#include <gtest/gtest.h>

namespace {

using fft3d::memory_of;

constexpr fft3d::extent size{256, 256, 256};  // too large for a spectrum to compare with
constexpr std::uint64_t part = 256 * 256 * 256 * 16 / 4;  // of four ranks

TEST(memory_of, counts_arrays_and_buffers_once) {
  EXPECT_EQ(memory_of(size, 4, {"elegant"}).shared, 2 * part);
  EXPECT_EQ(memory_of(size, 4, {"elegant"}).own, 0U);
  EXPECT_EQ(memory_of(size, 4, {"puts"}).shared, 2 * part);
  EXPECT_EQ(memory_of(size, 4, {"puts"}).own, 0U);
  EXPECT_EQ(memory_of(size, 4, {"puts_late"}).own, part);
  const auto packed = memory_of(size, 4, {"alltoall", "slabs", "slabs_late", "puts_late"});
  EXPECT_EQ(packed.shared, 2 * part);
  EXPECT_EQ(packed.own, 2 * part);
  EXPECT_EQ(memory_of(size, 4, {"pencil_puts"}).shared, 3 * part);
  EXPECT_EQ(memory_of(size, 4, {"elegant", "slabs", "pencil_slabs"}).shared, 7 * part);
}

TEST(memory_of, counts_the_largest_part_and_the_spectrum_to_compare_with) {
  const fft3d::extent odd{5, 3, 7};
  EXPECT_EQ(memory_of(odd, 2, {"elegant"}).shared, (3 * 3 + 2 * 5) * 7 * 16U);
  EXPECT_EQ(memory_of(odd, 2, {"elegant"}).own, 5 * 3 * 7 * 16U);
}

}  // namespace
