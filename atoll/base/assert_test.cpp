// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of the text that a failed assertion prints, word for word, and of the checks that each
// level evaluates. A failure ends the process, so each one runs in a child (death tests).
#include <atoll/base/assert.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

int sum(int a, int b) { return a + b; }

TEST(assert_death, prints_the_sentence_the_condition_and_the_operands_by_name) {
  const int index = 7, size = 4;
  EXPECT_DEATH(ATOLL_ASSERT(index < size, "no such handler", index, size),
               "assert_test.cpp:[0-9]+: no such handler \\[index < size\\] index=7 size=4");
}

TEST(assert_death, operands_may_hold_commas_and_quotes) {
  const std::string name = "x";
  EXPECT_DEATH(ATOLL_ASSERT(false, "m", sum(1, 2), name + ",(", ','),
               "sum\\(1, 2\\)=3 name \\+ \",\\(\"=x,\\( ','=,");
}

TEST(assert_death, no_operand_is_needed_and_the_sentence_may_be_composed) {
  EXPECT_DEATH(ATOLL_ASSERT(1 > 2, atl::text("left ", 1)), "left 1 \\[1 > 2\\]");
}

TEST(assert_death, checks_follow_the_level_in_force) {
  atl::set_checks(atl::check_level::normal);
  ATOLL_CHECK(heavy, false, "off");
  EXPECT_DEATH(ATOLL_CHECK(normal, false, "on"), "on \\[false\\]");
  EXPECT_DEATH(
      {
        atl::set_checks(atl::check_level::heavy);
        ATOLL_CHECK(heavy, false, "deep");
      },
      "deep");
  atl::set_checks(atl::check_level::light);
  ATOLL_CHECK(normal, false, "off");
  atl::set_checks(atl::check_level::normal);
}

TEST(assert, a_check_that_is_off_does_not_evaluate_its_condition) {
  int evaluated = 0;
  ATOLL_CHECK(heavy, ++evaluated > 0, "off");
  EXPECT_EQ(evaluated, 0);
  ATOLL_ASSERT(++evaluated == 1, "on");
  EXPECT_EQ(evaluated, 1);
}

}  // namespace
