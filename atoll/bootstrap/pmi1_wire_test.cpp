// SPDX-License-Identifier: BSD-3-Clause
//
// Lines of PMI-1 taken apart, and bytes as digits.
#include <atoll/bootstrap/pmi1_wire.hpp>

#include <gtest/gtest.h>

namespace atl::bootstrap::pmi1_wire {
namespace {

TEST(pmi1_line, words_have_names_and_values) {
  const pmi1_message answer("cmd=get_result rc=0 msg=success value=a=b=c");
  EXPECT_EQ(answer.command(), "get_result");
  EXPECT_EQ(answer.value("value"), "a=b=c");
  EXPECT_EQ(answer.value("val"), "");
  EXPECT_EQ(answer.number("rc"), 0);
  EXPECT_TRUE(answer.is_success());
}

TEST(pmi1_line, a_failure_is_seen) {
  EXPECT_FALSE(pmi1_message("cmd=get_result rc=-1 msg=key_not_found").is_success());
  EXPECT_FALSE(pmi1_message("cmd=get_result rc=zero").is_success());
  EXPECT_TRUE(pmi1_message("cmd=barrier_out").is_success());
}

TEST(pmi1_line, odd_lines_do_no_harm) {
  for (const char* line : {"", " ", "   ", "=", "a", "cmd", "cmd=", "=x =y", "cmd =x"})
    EXPECT_EQ(pmi1_message(line).command(), "") << line;
  EXPECT_EQ(pmi1_message("  cmd=maxes  vallen_max=12").number("vallen_max"), 12);
  EXPECT_EQ(pmi1_message("cmd=maxes vallen_max=12x").number("vallen_max"), std::nullopt);
  EXPECT_EQ(pmi1_message("cmd=maxes vallen_max=99999999999999999999").number("vallen_max"),
            std::nullopt);
}

TEST(pmi1_digits, bytes_come_back) {
  blob raw;
  for (int i = 0; i < 256; ++i) raw.push_back(static_cast<std::byte>(i));
  EXPECT_EQ(to_hex(raw).size(), 512u);
  EXPECT_EQ(from_hex(to_hex(raw)), raw);
  EXPECT_EQ(from_hex(""), blob());
  EXPECT_EQ(from_hex("0"), std::nullopt);
  EXPECT_EQ(from_hex("0g"), std::nullopt);
}

}  // namespace
}  // namespace atl::bootstrap::pmi1_wire
