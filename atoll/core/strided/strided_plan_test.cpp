// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of the plan made from a description: how much is left of it, in which order, and what it
// touches. tests/conformance/strided_suite_test.cpp tests that a planned transfer moves the right
// bytes.
#include <atoll/core/strided/strided_plan.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace atl {
namespace {

void* to_pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

/// Describes a transfer from address 1000000 to 2000000.
struct described {
  std::vector<std::size_t> counts;
  std::vector<std::ptrdiff_t> to, from;
  std::size_t element_bytes = 8;

  strided_plan plan() const {
    return strided_plan({.to = to_pointer(2'000'000),
                         .to_strides = to,
                         .from = to_pointer(1'000'000),
                         .from_strides = from,
                         .element_bytes = element_bytes,
                         .counts = counts});
  }
};

TEST(strided_plan, a_contiguous_block_is_one_run_however_it_is_described) {
  for (const described& each :
       {described{{10, 20, 30}, {8, 80, 1600}, {8, 80, 1600}},
        described{{30, 10, 20}, {1600, 8, 80}, {1600, 8, 80}},
        described{{10, 1, 600}, {-8, 5, 80}, {-8, 17, 80}}, described{{}, {}, {}, 48'000}}) {
    const strided_plan plan = each.plan();
    EXPECT_TRUE(plan.dimensions().empty());
    EXPECT_EQ(plan.run_bytes(), 48'000u);
    EXPECT_EQ(plan.total_bytes(), 48'000u);
  }
}

TEST(strided_plan, a_block_of_a_matrix_keeps_its_rows) {
  const strided_plan plan = described{{1000, 1000}, {12'000, 8}, {16'000, 8}}.plan();
  ASSERT_EQ(plan.dimensions().size(), 1u);
  EXPECT_EQ(plan.run_bytes(), 8000u);
  EXPECT_EQ(plan.dimensions()[0].count, 1000u);
  EXPECT_EQ(plan.to_range().low, 2'000'000u);
  EXPECT_EQ(plan.to_range().bytes, 999u * 12'000 + 8000);
  EXPECT_EQ(plan.from_range().bytes, 999u * 16'000 + 8000);
}

TEST(strided_plan, dimensions_that_continue_each_other_merge_above_the_innermost) {
  const strided_plan plan =
      described{{7, 5, 3}, {48, 48 * 7, 48 * 35}, {16, 16 * 7, 16 * 35}}.plan();
  ASSERT_EQ(plan.dimensions().size(), 1u);
  EXPECT_EQ(plan.dimensions()[0].count, 105u);
}

TEST(strided_plan, what_is_written_is_written_in_order) {
  const strided_plan plan = described{{9, 4, 5}, {-800, 24, 96}, {8, 1000, 10'000}}.plan();
  ASSERT_EQ(plan.dimensions().size(), 3u);
  EXPECT_EQ(plan.dimensions()[0].to_stride, 24);
  EXPECT_EQ(plan.dimensions()[1].to_stride, 96);
  EXPECT_EQ(plan.dimensions()[2].to_stride, 800);
  EXPECT_EQ(plan.dimensions()[2].from_stride, -8);
  EXPECT_EQ(plan.to(), 2'000'000u - 8 * 800);
  EXPECT_EQ(plan.from(), 1'000'000u + 8 * 8);
  EXPECT_EQ(plan.from_range().low, 1'000'000u);
}

TEST(strided_plan, nothing_is_nothing_even_where_the_rest_makes_no_sense) {
  const std::size_t huge = SIZE_MAX;
  EXPECT_EQ((described{{huge, huge, 0}, {8, 8, 8}, {8, 8, 8}}.plan().total_bytes()), 0u);
  EXPECT_FALSE((described{{huge, huge, 0}, {8, 8, 8}, {8, 8, 8}}.plan().overflows()));
  EXPECT_EQ((described{{3}, {8}, {8}, 0}.plan().total_bytes()), 0u);
}

TEST(strided_plan, what_no_address_space_holds_overflows) {
  constexpr std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::min();
  constexpr std::ptrdiff_t most = std::numeric_limits<std::ptrdiff_t>::max();
  for (const described& each :
       {described{{SIZE_MAX / 8, 2}, {0, 8}, {0, 0}}, described{{SIZE_MAX}, {8}, {8}},
        described{{3}, {most}, {8}}, described{{3}, {8}, {most}}, described{{2}, {least}, {8}},
        described{{2}, {8}, {least}}, described{{2, 2, 2}, {most, most, most}, {8, 16, 32}},
        described{{2}, {-3'000'000}, {8}}, described{{2}, {8}, {-3'000'000}},
        described{std::vector<std::size_t>(70, 2), std::vector<std::ptrdiff_t>(70, 8),
                  std::vector<std::ptrdiff_t>(70, 8)}}) {
    EXPECT_TRUE(each.plan().overflows());
  }
}

}  // namespace
}  // namespace atl
