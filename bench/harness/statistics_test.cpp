// SPDX-License-Identifier: BSD-3-Clause
//
// The summary of samples whose figures are known.
#include <bench/harness/statistics.hpp>

#include <gtest/gtest.h>

#include <vector>

namespace {

TEST(statistics, no_samples_give_zeros) {
  const bench::summary empty = bench::summarize({});
  EXPECT_EQ(empty.median, 0);
  EXPECT_EQ(empty.max, 0);
}

TEST(statistics, the_median_of_an_odd_number_is_the_middle_one) {
  const std::vector<double> samples{9, 1, 5};
  EXPECT_EQ(bench::median_of(samples), 5);
}

TEST(statistics, the_median_of_an_even_number_is_between_the_middle_two) {
  const std::vector<double> samples{4, 1, 2, 100};
  EXPECT_EQ(bench::median_of(samples), 3);
}

TEST(statistics, one_wild_sample_moves_neither_median_nor_mad) {
  const std::vector<double> samples{10, 11, 12, 13, 14, 15, 1'000'000};
  const bench::summary statistics = bench::summarize(samples);
  EXPECT_EQ(statistics.median, 13);
  EXPECT_EQ(statistics.mad, 2);
  EXPECT_EQ(statistics.min, 10);
  EXPECT_EQ(statistics.max, 1'000'000);
}

}  // namespace
