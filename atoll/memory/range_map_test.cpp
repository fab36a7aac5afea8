// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks are placed as low as possible, aligned, and never on each other; gaps join; and over many
// random steps the map says the same as one that keeps a flag per byte.
#include <atoll/memory/range_map.hpp>

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <vector>

namespace atl::memory {
namespace {

constexpr std::size_t no_offset = range_map::no_offset;

TEST(range_map, takes_the_lowest_place_that_is_large_enough) {
  range_map map(1000);
  map.take(0, 100);
  map.take(150, 50);
  EXPECT_EQ(map.find_room(50, 1), 100u);
  EXPECT_EQ(map.find_room(51, 1), 200u);
  EXPECT_EQ(map.find_room(800, 1), 200u);
  EXPECT_EQ(map.find_room(801, 1), no_offset);
}

TEST(range_map, keeps_to_the_alignment_and_to_the_lowest_offset_asked_for) {
  range_map map(1 << 20);
  map.take(0, 10);
  EXPECT_EQ(map.find_room(16, 64), 64u);
  map.take(64, 16);
  EXPECT_EQ(map.find_room(16, 16), 16u);
  EXPECT_EQ(map.find_room(16, 16, 30), 32u);
  EXPECT_EQ(map.find_room(16, 16, 60), 80u);
  EXPECT_EQ(map.find_room(16, 16, 5000), 5008u);
  EXPECT_EQ(map.find_room(1, 1 << 20), no_offset);
}

TEST(range_map, refuses_offsets_near_the_end_of_all_numbers) {
  const range_map map(4096);
  EXPECT_EQ(map.find_room(1, 16, no_offset), no_offset);
  EXPECT_EQ(map.find_room(no_offset, 16), no_offset);
  EXPECT_FALSE(map.is_free(no_offset, 2));
  EXPECT_FALSE(map.is_free(4096, 1));
}

TEST(range_map, joins_what_is_given_back_with_the_gaps_at_both_sides) {
  range_map map(400);
  for (std::size_t offset = 0; offset < 400; offset += 100) map.take(offset, 100);
  EXPECT_EQ(map.find_room(1, 1), no_offset);
  EXPECT_EQ(map.give_back(100), 100u);
  EXPECT_EQ(map.give_back(100), 0u);
  EXPECT_EQ(map.give_back(0), 100u);
  EXPECT_EQ(map.gap_around(150).offset, 0u);
  EXPECT_EQ(map.gap_around(150).bytes, 200u);
  EXPECT_EQ(map.give_back(300), 100u);
  EXPECT_EQ(map.end(), 300u);
  EXPECT_EQ(map.give_back(200), 100u);
  EXPECT_EQ(map.end(), 0u);
  EXPECT_TRUE(map.is_valid());
}

TEST(range_map, lets_a_block_grow_only_into_what_is_free) {
  range_map map(1000);
  map.take(0, 100);
  map.take(200, 100);
  EXPECT_FALSE(map.resize(0, 201));
  EXPECT_EQ(map.size_at(0), 100u);
  EXPECT_TRUE(map.resize(0, 200));
  EXPECT_EQ(map.find_room(1, 1), 300u);
  EXPECT_TRUE(map.resize(0, 1));
  EXPECT_TRUE(map.resize(200, 800));
  EXPECT_FALSE(map.resize(200, 801));
  EXPECT_EQ(map.used(), 801u);
  EXPECT_TRUE(map.is_valid());
}

/// The same by one flag per byte.
struct plain_map {
  std::vector<bool> used;

  bool is_free(std::size_t offset, std::size_t bytes) const {
    for (std::size_t i = 0; i < bytes; ++i) {
      if (offset + i >= used.size() || used[offset + i]) return false;
    }
    return true;
  }
  std::size_t find_room(std::size_t bytes, std::size_t alignment, std::size_t from) const {
    for (std::size_t offset = 0; offset < used.size(); offset += alignment) {
      if (offset >= from && is_free(offset, bytes)) return offset;
    }
    return no_offset;
  }
  void set(std::size_t offset, std::size_t bytes, bool to) {
    for (std::size_t i = 0; i < bytes; ++i) used[offset + i] = to;
  }
};

TEST(range_map, agrees_with_a_plain_map_over_many_random_steps) {
  constexpr std::size_t limit = 600;
  range_map map(limit);
  plain_map plain{std::vector<bool>(limit)};
  std::map<std::size_t, std::size_t> blocks;
  std::mt19937 random(7);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(random()) % end; };
  std::size_t taken = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (blocks.empty() || below(5) < 3) {
      const std::size_t bytes = 1 + below(40);
      const std::size_t alignment = std::size_t{1} << below(6);
      const std::size_t from = below(3) == 0 ? below(limit) : 0;
      const std::size_t offset = map.find_room(bytes, alignment, from);
      ASSERT_EQ(offset, plain.find_room(bytes, alignment, from));
      if (offset == no_offset) continue;
      map.take(offset, bytes);
      plain.set(offset, bytes, true);
      blocks.emplace(offset, bytes);
      ++taken;
    } else {
      const auto block = std::next(blocks.begin(), static_cast<long>(below(blocks.size())));
      ASSERT_EQ(map.give_back(block->first), block->second);
      plain.set(block->first, block->second, false);
      blocks.erase(block);
    }
    ASSERT_TRUE(map.is_valid());
  }
  EXPECT_GT(taken, 1000u);
}

}  // namespace
}  // namespace atl::memory
