// SPDX-License-Identifier: BSD-3-Clause
//
// A thread that has asked has the short turn where the kernel knows turns at all, and others keep
// theirs; its nice value stays.
#include <atoll/base/threads/thread_turn.hpp>

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <thread>

namespace atl {
namespace {

TEST(thread_turn, is_short_for_the_thread_that_asks) {
  const std::int64_t usual_ns = turn_ns();
  std::int64_t asked_ns = 0;
  bool keeps_nice = false;
  std::thread([&] {
    ::setpriority(PRIO_PROCESS, 0, 19);  // of this thread alone, on Linux
    ask_for_short_turns();
    asked_ns = turn_ns();
    keeps_nice = ::getpriority(PRIO_PROCESS, 0) == 19;
  }).join();
  EXPECT_TRUE(keeps_nice);
  EXPECT_EQ(turn_ns(), usual_ns);
  if (usual_ns != 0) {
    EXPECT_EQ(asked_ns, short_turn_ns);
  }
}

}  // namespace
}  // namespace atl
