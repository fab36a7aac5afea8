// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the numbers of packets: a lost packet is noticed in bounded time, and a late one is not
// taken for lost.
#include <atoll/transport/ofi/numbers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace atl::transport::ofi {
namespace {

TEST(packet_numbers, are_missed_at_once_where_they_come_in_order) {
  packet_numbers numbers;
  EXPECT_TRUE(numbers.next(0));
  EXPECT_TRUE(numbers.next(1));
  EXPECT_FALSE(numbers.next(3));
}

/// Takes a question or an answer; returns whether a missing packet counts as lost.
bool answer_gives_up(packet_numbers& numbers, std::uint64_t number) {
  numbers.take(number);
  const bool given_up = !numbers.answered();
  numbers.set_mark(number);
  return given_up;
}

TEST(packet_numbers, that_never_come_are_given_up_after_some_answers) {
  packet_numbers numbers;
  for (const std::uint64_t number : {0, 1, 3, 4}) numbers.take(number);
  EXPECT_FALSE(answer_gives_up(numbers, 5));
  EXPECT_EQ(numbers.missing(), 1u);
  for (std::uint64_t i = 1; i < packet_numbers::answers_max; ++i) {
    EXPECT_FALSE(answer_gives_up(numbers, 5 + i));
  }
  EXPECT_EQ(numbers.missing(), 1u);
  EXPECT_TRUE(answer_gives_up(numbers, 5 + packet_numbers::answers_max));
}

TEST(packet_numbers, that_come_late_are_waited_for_and_counted_anew) {
  packet_numbers numbers;
  for (const std::uint64_t number : {0, 3}) numbers.take(number);
  EXPECT_FALSE(answer_gives_up(numbers, 4));
  EXPECT_EQ(numbers.missing(), 2u);
  EXPECT_FALSE(answer_gives_up(numbers, 5));
  numbers.take(2);
  EXPECT_EQ(numbers.missing(), 1u);
  numbers.take(8);  // after the mark, so 6 and 7 do not count as missing yet
  EXPECT_EQ(numbers.missing(), 1u);
  numbers.take(1);
  EXPECT_EQ(numbers.missing(), 0u);
  for (std::uint64_t number = 9; number < 30; ++number) {
    EXPECT_FALSE(answer_gives_up(numbers, number)) << number;  // 6 and 7 are missing: a mark at 9
    if (number == 11) numbers.take(6), numbers.take(7);
  }
  EXPECT_EQ(numbers.heard(), 30u);
}

/// Numbers in an order in which each is overtaken by fewer than `reach` others: they are shuffled
/// in groups of `reach`.
std::vector<std::uint64_t> shuffled(std::size_t count, std::size_t reach, std::mt19937& dice) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::size_t i = 0; i + reach <= count; i += reach) {
    std::shuffle(order.begin() + static_cast<std::ptrdiff_t>(i),
                 order.begin() + static_cast<std::ptrdiff_t>(i + reach), dice);
  }
  return order;
}

TEST(packet_numbers, in_any_order_are_never_given_up_while_each_comes_before_the_answers_end) {
  std::mt19937 dice(5);
  for (int turn = 0; turn < 200; ++turn) {
    packet_numbers numbers;
    std::size_t marks = 0;
    for (const std::uint64_t number : shuffled(4000, 16, dice)) {
      numbers.take(number);
      if (number % 20 != 0) continue;  // an answer; the distance is larger than any delay
      EXPECT_TRUE(numbers.answered());
      numbers.set_mark(number);
      marks += numbers.missing() != 0;
    }
    EXPECT_EQ(numbers.heard(), 4000u);
    EXPECT_GT(marks, 10u);
  }
}

TEST(packet_numbers, one_that_is_lost_in_any_order_is_given_up_soon) {
  std::mt19937 dice(6);
  for (int turn = 0; turn < 200; ++turn) {
    packet_numbers numbers;
    const std::uint64_t lost = 1 + dice() % 3000;
    std::uint64_t given_up = 0;
    for (const std::uint64_t number : shuffled(6000, 16, dice)) {
      if (number == lost) continue;
      numbers.take(number);
      if (number % 20 != 0 || given_up != 0) continue;
      if (!numbers.answered()) given_up = number;
      numbers.set_mark(number);
    }
    EXPECT_GT(given_up, lost);
    EXPECT_LT(given_up, lost + 20 * 100);  // few answers come behind all that was sent before
  }
}

}  // namespace
}  // namespace atl::transport::ofi
