// SPDX-License-Identifier: BSD-3-Clause
//
// The shape of fork trees, for all counts of members, widths and roots: every member is reached
// once, by at most two messages of each, and a subtree is a range of numbers.
#include <atoll/coll/message/fork_tree.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace atl::coll {
namespace {

struct fork_shape {
  rank_id size;
  rank_id root;
  unsigned width;
  fork_tree at(rank_id rank) const { return {rank, size, root, width}; }
};

// Adds a member and then its children, the lowest first. Returns the most steps from it to a leaf.
rank_id visit(const fork_shape& shape, rank_id rank, std::vector<rank_id>& found) {
  found.push_back(rank);
  const fork_tree place = shape.at(rank);
  rank_id children = 0, steps = 0;
  for (auto each = place.lowest_child(); each.exists(); each = place.above(each), ++children) {
    EXPECT_EQ(shape.at(each.rank).parent(), rank);
    steps = std::max(steps, 1 + visit(shape, each.rank, found));
  }
  EXPECT_LE(children, 2u);
  std::vector<std::uint64_t> descending;
  for (auto each = place.first_child(); each.exists(); each = place.next_child(each)) {
    EXPECT_TRUE(descending.empty() || each.number < descending.back());
    descending.push_back(each.number);
  }
  EXPECT_EQ(descending.size(), children);
  return steps;
}

TEST(fork_tree, reaches_all_members_in_the_order_of_their_numbers) {
  for (rank_id size = 1; size <= 20; ++size) {
    for (unsigned width = 2; width <= size + 1; ++width) {
      for (rank_id root = 0; root < size; ++root) {
        const fork_shape shape{.size = size, .root = root, .width = width};
        EXPECT_TRUE(shape.at(root).is_root());
        std::vector<rank_id> found;
        visit(shape, root, found);
        ASSERT_EQ(found.size(), size) << width;
        for (rank_id i = 0; i < size; ++i) EXPECT_EQ(found[i], (root + i) % size);
      }
    }
  }
}

TEST(fork_tree, is_as_deep_as_a_row_and_a_column) {
  std::vector<rank_id> found;
  EXPECT_EQ(visit({.size = 12, .root = 5, .width = 4}, 5, found), 2u + 3u);
  EXPECT_EQ(visit({.size = 12, .root = 5, .width = 12}, 5, found), 11u);
  EXPECT_EQ(visit({.size = 13, .root = 0, .width = 2}, 0, found), 6u);
}

}  // namespace
}  // namespace atl::coll
