// SPDX-License-Identifier: BSD-3-Clause
//
// A signal that comes in the scope waits until its end; a thread that was made in it takes none,
// but for those of its own faults.
#include <atoll/base/system/blocked_signals.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

namespace atl {
namespace {

int handled = 0;  // signals

TEST(blocked_signals, come_after_the_scope) {
  handled = 0;
  struct sigaction counting{};
  counting.sa_handler = [](int) { ++handled; };
  struct sigaction previous;
  ASSERT_EQ(::sigaction(SIGUSR1, &counting, &previous), 0);
  {
    const blocked_signals outer;
    {
      const blocked_signals inner;
      ::pthread_kill(::pthread_self(), SIGUSR1);
    }
    EXPECT_EQ(handled, 0);
  }
  EXPECT_EQ(handled, 1);
  ::sigaction(SIGUSR1, &previous, nullptr);
}

TEST(blocked_signals, stay_blocked_in_a_thread_that_is_made_meanwhile) {
  sigset_t inherited;
  std::jthread made;
  {
    const blocked_signals meanwhile;
    made = std::jthread([&] { ::pthread_sigmask(SIG_BLOCK, nullptr, &inherited); });
  }
  made.join();
  EXPECT_EQ(sigismember(&inherited, SIGTERM), 1);
  EXPECT_EQ(sigismember(&inherited, SIGCHLD), 1);
  EXPECT_EQ(sigismember(&inherited, SIGSEGV), 0);
}

}  // namespace
}  // namespace atl
