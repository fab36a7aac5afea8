// SPDX-License-Identifier: BSD-3-Clause
//
// Changes that other code makes to signals are undone, and only those.
#include <atoll/base/system/kept_signals.hpp>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace atl {
namespace {

volatile std::sig_atomic_t own_calls = 0;
volatile std::sig_atomic_t other_calls = 0;
void count_own(int) { own_calls = own_calls + 1; }
void count_other(int) { other_calls = other_calls + 1; }

TEST(kept_signals, do_what_they_did_before) {
  struct sigaction own{};
  own.sa_handler = count_own;
  own.sa_flags = SA_RESTART;
  sigaddset(&own.sa_mask, SIGUSR2);
  ASSERT_EQ(::sigaction(SIGUSR1, &own, nullptr), 0);
  {
    const kept_signals kept;
    ASSERT_NE(std::signal(SIGUSR1, count_other), SIG_ERR);
    ASSERT_NE(std::signal(SIGURG, count_other), SIG_ERR);
    std::raise(SIGUSR1);
  }
  std::raise(SIGUSR1);
  EXPECT_EQ(own_calls, 1);
  EXPECT_EQ(other_calls, 1);
  struct sigaction now{};
  ::sigaction(SIGUSR1, nullptr, &now);
  EXPECT_EQ(now.sa_flags & SA_RESTART, SA_RESTART);
  EXPECT_EQ(sigismember(&now.sa_mask, SIGUSR2), 1);
  ::sigaction(SIGURG, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
  std::signal(SIGUSR1, SIG_DFL);
}

// A library catches the signal that ends the process, and is still being loaded when it comes.
void load_interrupted(bool nested) {
  const kept_signals kept;
  std::signal(SIGTERM, [](int) { std::_Exit(3); });
  if (nested) const kept_signals inner;
  std::raise(SIGTERM);
}

TEST(kept_signals_death, signals_that_end_the_process_wait_until_actions_are_restored) {
  for (const bool nested : {false, true}) {
    EXPECT_EXIT(load_interrupted(nested); std::_Exit(0), testing::KilledBySignal(SIGTERM), "");
  }
  EXPECT_EXIT(
      {
        {
          const kept_signals kept;
        }
        std::signal(SIGTERM, [](int) { std::_Exit(4); });
        std::raise(SIGTERM);
      },
      testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace atl
