// SPDX-License-Identifier: BSD-3-Clause
//
// Tests which processes are below a process, and that a signal reaches the process that was seen or
// none.
#include <tools/run/process_tree.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace atl::tools {
namespace {

/// A child that waits, with a child of its own that waits as well.
class family : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    child_ = fork();
    if (child_ == 0) {
      const pid_t grandchild = fork();
      if (grandchild != 0 && write(ends[1], &grandchild, sizeof grandchild) < 0) _exit(1);
      for (;;) pause();
    }
    ASSERT_EQ(read(ends[0], &grandchild_, sizeof grandchild_),
              static_cast<ssize_t>(sizeof grandchild_));
    close(ends[0]);
    close(ends[1]);
  }
  void TearDown() override {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    kill(grandchild_, SIGKILL);
  }

  static bool is_living(pid_t pid) {
    const auto description = describe_process(pid);
    return !description.empty() && description.find(" ended") == std::string::npos;
  }

  static bool ends_within(pid_t pid, int limit_ms) {
    for (int tries = 0; tries < limit_ms && is_living(pid); ++tries) usleep(1000);
    return !is_living(pid);
  }

  pid_t child_ = 0;
  pid_t grandchild_ = 0;
};

TEST_F(family, is_found_parents_first) {
  const auto found = process_table().below(getpid());
  const auto child = std::ranges::find(found, child_, &process::pid);
  const auto grandchild = std::ranges::find(found, grandchild_, &process::pid);
  ASSERT_NE(child, found.end());
  ASSERT_NE(grandchild, found.end());
  EXPECT_LT(child, grandchild);
  EXPECT_GT(child->started, 0u);
  EXPECT_LE(child->started, grandchild->started);
}

TEST_F(family, gets_a_signal_that_was_meant_for_it) {
  const auto found = process_table().below(child_);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(signal_process(found.front(), SIGKILL));
  EXPECT_TRUE(ends_within(grandchild_, 20'000));
}

TEST_F(family, gets_no_signal_that_was_meant_for_who_had_its_number_before) {
  auto earlier = process_table().below(child_).front();
  --earlier.started;
  EXPECT_FALSE(signal_process(earlier, SIGKILL));
  EXPECT_FALSE(ends_within(grandchild_, 50) || !is_living(child_));
}

TEST(signal_process, of_a_process_that_has_ended_reaches_nobody) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(signal_process({.pid = child, .started = 1}, SIGKILL));
}

}  // namespace
}  // namespace atl::tools
