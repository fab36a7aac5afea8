// SPDX-License-Identifier: BSD-3-Clause
//
// The table of segments, alone: it keeps addresses and numbers and looks at no segment.
#include <atoll/core/segment/segment_table.hpp>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace atl {
namespace {

class segment_table_alone : public testing::Test {
 protected:
  // Places that stand for segments; nothing reads them.
  segment& place(std::size_t index) { return reinterpret_cast<segment&>(places_[index]); }
  segment_table table;

 private:
  std::array<std::uint64_t, 4> places_{};
};

TEST_F(segment_table_alone, a_segment_is_found_by_its_number_while_it_is_shared) {
  table.add(place(0));
  EXPECT_EQ(table.next_number(), 0u);
  EXPECT_EQ(table.find(0), nullptr);
  table.note(place(0), 0);
  EXPECT_EQ(table.find(0), &place(0));
  EXPECT_EQ(table.next_number(), 1u);
  table.forget(place(0), 0);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.next_number(), 1u) << "a number is given once";
}

TEST_F(segment_table_alone, other_ranks_may_be_ahead_with_their_numbers) {
  table.note(place(1), 5);
  EXPECT_EQ(table.next_number(), 6u);
  for (std::uint32_t number = 0; number < 5; ++number) EXPECT_EQ(table.find(number), nullptr);
  EXPECT_EQ(table.find(5), &place(1));
  EXPECT_EQ(table.find(~std::uint32_t{0}), nullptr);
}

TEST_F(segment_table_alone, all_are_visited_whether_shared_or_not) {
  table.add(place(0));
  table.add(place(1));
  table.add(place(2));
  table.note(place(1), 0);
  table.forget(place(0), ~std::uint32_t{0});  // it was never shared
  std::vector<segment*> visited;
  table.for_each([&](segment& each) { visited.push_back(&each); });
  EXPECT_EQ(visited, (std::vector<segment*>{&place(1), &place(2)}));
}

}  // namespace
}  // namespace atl
