// SPDX-License-Identifier: BSD-3-Clause
//
// Sleeping at a network's descriptor, here an eventfd: which thread wakes which, and the behaviour
// where membarrier is refused, so that a ring may be missed.
#include <atoll/transport/descriptor_waiter.hpp>

#include <tests/support/refuse_call.hpp>

#include <gtest/gtest.h>

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>

namespace atl::transport {
namespace {

constexpr std::int64_t day_ns = std::int64_t{86'400'000'000'000};

struct rank_alone {
  explicit rank_alone(bool threaded) : sleeper(network.get(), bell, threaded) {}

  atl::descriptor network{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  doorbell bell{};
  descriptor_waiter sleeper;
};

TEST(descriptor_waiter, is_woken_by_the_network) {
  rank_alone rank(false);
  const std::uint64_t increment = 1;
  ASSERT_EQ(::write(rank.network.get(), &increment, sizeof increment), 8);
  EXPECT_EQ(rank.sleeper.sleep({}, day_ns), descriptor_waiter::end::woken);
}

TEST(descriptor_waiter, is_woken_by_a_thread_that_makes_its_condition_true) {
  if (!doorbell::register_process()) GTEST_SKIP() << "membarrier is refused here";
  rank_alone rank(true);
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> ready = false;
    std::thread other([&] {
      ready.store(true, std::memory_order_release);
      rank.bell.ring();
      rank.sleeper.ring();
    });
    while (!ready.load(std::memory_order_acquire)) {
      const auto drawn = rank.bell.prepare();
      if (!ready.load(std::memory_order_acquire)) rank.sleeper.sleep(drawn, day_ns);
    }
    other.join();
  }
}

[[noreturn]] void sleep_without_the_fence() {
  support::refuse_call(SYS_membarrier, EPERM);
  const bool registered = doorbell::register_process();
  rank_alone rank(true);
  const auto end = rank.sleeper.sleep(rank.bell.prepare(), day_ns);  // nobody rings
  std::_Exit(!registered && end == descriptor_waiter::end::timed_out ? 0 : 1);
}

TEST(descriptor_waiter_death, without_the_fence_looks_again_by_itself) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(sleep_without_the_fence(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace atl::transport
