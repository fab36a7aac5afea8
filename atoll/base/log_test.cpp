// SPDX-License-Identifier: BSD-3-Clause
//
// The lines that reach standard error: prefix, levels, several lines in one text, no limit of
// length. The prefix and level are process-wide, so every test puts them back.
#include <atoll/base/log.hpp>

#include <gtest/gtest.h>

#include <string>

namespace {

using atl::log_level;

class log : public ::testing::Test {
 protected:
  void SetUp() override { testing::internal::CaptureStderr(); }
  void TearDown() override { atl::log_configure(log_level::warning, atl::no_rank); }
  std::string written() { return testing::internal::GetCapturedStderr(); }
};

TEST_F(log, prefixes_lines_with_the_rank_once_it_is_known) {
  atl::log_configure(log_level::warning, atl::no_rank);
  atl::log_warning("early");
  atl::log_configure(log_level::warning, 12);
  atl::log_warning("late ", 1);
  EXPECT_EQ(written(), "atoll: early\natoll[12]: late 1\n");
}

TEST_F(log, writes_levels_up_to_the_one_configured) {
  atl::log_configure(log_level::info, 0);
  atl::log_error("e");
  atl::log_warning("w");
  atl::log_info("i");
  atl::log_debug("d");
  EXPECT_EQ(written(), "atoll[0]: e\natoll[0]: w\natoll[0]: i\n");
}

TEST_F(log, errors_are_written_even_when_silent) {
  atl::log_configure(log_level::error, 0);
  atl::log_warning("w");
  atl::log_error("e");
  EXPECT_EQ(written(), "atoll[0]: e\n");
}

TEST_F(log, prefixes_every_line_of_a_text_and_adds_no_empty_one) {
  atl::log_configure(log_level::warning, 3);
  atl::log_line(log_level::error, "one\ntwo\n");
  atl::log_line(log_level::error, "");
  EXPECT_EQ(written(), "atoll[3]: one\natoll[3]: two\natoll[3]: \n");
}

TEST_F(log, long_lines_are_not_cut) {
  atl::log_configure(log_level::warning, atl::no_rank);
  const std::string line(100000, 'x');
  atl::log_line(log_level::error, line);
  EXPECT_EQ(written(), "atoll: " + line + "\n");
}

}  // namespace
