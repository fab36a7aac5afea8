// SPDX-License-Identifier: BSD-3-Clause
//
// How a rank waits, alone: with a doorbell in ordinary memory and no network.
#include <atoll/core/progress/wait_control.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace atl {
namespace {

class wait_control_alone : public testing::Test {
 protected:
  static void SetUpTestSuite() { doorbell::register_process(); }

  doorbell bell;
  attachment_list attachments;
  wait_control waiting{bell, attachments};
};

TEST_F(wait_control_alone, ranks_with_a_core_each_spin_and_others_do_not) {
  waiting.choose(wait_mode::automatic, {.ranks = 2, .cores = 2}, wait_control::rung_sleep_ns);
  EXPECT_FALSE(waiting.is_oversubscribed());
  EXPECT_GT(waiting.policy().spins, 0);
  waiting.choose(wait_mode::automatic, {.ranks = 3, .cores = 2}, wait_control::rung_sleep_ns);
  EXPECT_TRUE(waiting.is_oversubscribed());
  EXPECT_EQ(waiting.policy().spins, 0);
}

TEST_F(wait_control_alone, a_change_of_mode_keeps_the_conditions) {
  waiting.choose(wait_mode::automatic, {.ranks = 4, .cores = 2}, 1234);
  waiting.change(wait_mode::spin);
  EXPECT_EQ(waiting.policy().spins, wait_policy::endless);
  EXPECT_TRUE(waiting.is_oversubscribed());
  EXPECT_EQ(waiting.bell_sleep_ns(), 1234);
}

TEST_F(wait_control_alone, a_thread_that_sleeps_is_woken) {
  waiting.choose(wait_mode::sleep, {.ranks = 2, .cores = 1}, wait_control::rung_sleep_ns);
  std::atomic<bool> is_set = false;
  std::jthread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    is_set.store(true, std::memory_order_release);
    waiting.wake();
  });
  parker place = waiting.park();
  wait_until(waiting.policy(), place, [&] {
    return is_set.load(std::memory_order_acquire) ? poll_result::done : poll_result::idle;
  });
  EXPECT_TRUE(is_set.load());
}

}  // namespace
}  // namespace atl
