// SPDX-License-Identifier: BSD-3-Clause
//
// Rotation stays inside its area and comes around.
#include <bench/harness/rotation.hpp>

#include <gtest/gtest.h>

namespace {

TEST(rotation, walks_the_area_in_cache_lines_and_comes_around) {
  bench::rotation places(100, 300);
  EXPECT_EQ(places.next(), 0u);
  EXPECT_EQ(places.next(), 128u);
  EXPECT_EQ(places.next(), 0u);
}

TEST(rotation, repeats_one_place_without_an_area) {
  bench::rotation places(4096, 0, 1000);
  EXPECT_EQ(places.next(), 0u);
  EXPECT_EQ(places.next(), 0u);
}

TEST(rotation, begins_where_it_is_told) {
  bench::rotation places(64, 640, 330);
  EXPECT_EQ(places.next(), 320u);
  for (int i = 0; i < 4; ++i) places.next();
  EXPECT_EQ(places.next(), 0u);
}

}  // namespace
