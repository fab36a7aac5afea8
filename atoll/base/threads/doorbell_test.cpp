// SPDX-License-Identifier: BSD-3-Clause
//
// Doorbells between threads and between processes. The stress tests hand a counter back and forth
// with sleeps that have no time-out: one lost wake hangs them, and the test's time-out reports it.
#include <atoll/base/clock.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/threads/doorbell.hpp>
#include <atoll/base/threads/waiter.hpp>

#include <tests/support/refuse_call.hpp>

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

using atl::doorbell;
using atl::poll_result;
using atl::wait_mode;

constexpr atl::wait_policy sleep_at_once = {.spins = 0, .yields = 0};

struct mailbox {
  doorbell bell;
  alignas(64) std::atomic<std::uint32_t> value{0};
};

/// Waits until the mailbox holds `wanted`.
void await(mailbox& box, std::uint32_t wanted, const atl::wait_policy& policy) {
  atl::wait_until(policy, box.bell, [&] {
    return box.value.load(std::memory_order_acquire) == wanted ? poll_result::done
                                                               : poll_result::idle;
  });
}

void post(mailbox& box, std::uint32_t value) {
  box.value.store(value, std::memory_order_release);
  box.bell.ring();
}

/// One side of a ping-pong of `rounds` between two mailboxes.
void play(mailbox& own, mailbox& other, std::uint32_t rounds, bool serves,
          const atl::wait_policy& policy) {
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    if (serves) post(other, round);
    await(own, round, policy);
    if (!serves) post(other, round);
  }
}

/// Two threads that take part in one round after the other, at the same time as far as they can.
class paired_rounds {
 public:
  void synchronise() {
    const std::uint32_t arrival = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
    const std::uint32_t wanted = (arrival + 1) / 2 * 2;
    for (int spins = 0; arrived_.load(std::memory_order_acquire) < wanted; ++spins) {
      if (spins > 2000) std::this_thread::yield();  // the other has no core
    }
  }

 private:
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
};

/// A property that holds whether sleepers fence everyone or each ringer fences for itself.
class doorbell_fences : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { has_membarrier_ = doorbell::register_process(); }

  static void prepare_bell(doorbell& bell) {
    if (GetParam()) bell.make_ringers_fence();
  }

  bool has_membarrier_ = false;
};

INSTANTIATE_TEST_SUITE_P(paid_by, doorbell_fences, ::testing::Values(false, true),
                         [](const auto& each) {
                           return each.param ? std::string("ringers") : std::string("sleepers");
                         });

// The sender's store waits behind stores to lines that are not in its cache, so that its load of
// `asleep` overtakes it when only the compiler is held; the sleeper's fence must make up for that.
TEST_P(doorbell_fences, a_sender_and_a_sleeper_never_miss_each_other) {
  if (!has_membarrier_) GTEST_SKIP() << "membarrier is refused here";
  struct alignas(64) line {
    std::atomic<std::uint32_t> value{0};
  };
  constexpr std::uint32_t rounds = 20'000;
  std::vector<line> lines(16);
  mailbox box{};
  prepare_bell(box.bell);
  paired_rounds together;
  std::thread sender([&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      together.synchronise();
      for (line& each : lines) each.value.store(round, std::memory_order_relaxed);
      box.value.store(round, std::memory_order_release);
      box.bell.ring();
      together.synchronise();
    }
  });
  std::uint32_t missed = 0;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    for (line& each : lines) each.value.store(0, std::memory_order_relaxed);
    together.synchronise();
    for (std::uint32_t i = round % 64; i != 0; --i) atl::pause();
    const auto ticket = box.bell.prepare();
    const bool saw = box.value.load(std::memory_order_acquire) == round;
    together.synchronise();
    if (!saw && !box.bell.rang_since(ticket)) ++missed;
  }
  sender.join();
  EXPECT_EQ(missed, 0u) << "sleeps that nothing would have ended";
}

TEST(doorbell, goes_on_where_its_count_of_rings_wraps) {
  doorbell::register_process();
  doorbell bell{};
  const std::array<std::uint32_t, 2> words{0, ~0u};  // nobody sleeps; the last ring before the wrap
  std::memcpy(static_cast<void*>(&bell), words.data(), sizeof words);
  for (int i = 0; i < 3; ++i) {
    const auto ticket = bell.prepare();
    EXPECT_FALSE(bell.rang_since(ticket));
    bell.ring();
    EXPECT_TRUE(bell.rang_since(ticket));
    bell.sleep(ticket);  // hangs if the ring was lost
  }
}

TEST(doorbell, a_ring_between_prepare_and_sleep_ends_the_sleep) {
  doorbell::register_process();
  doorbell bell{};
  const auto ticket = bell.prepare();
  bell.ring();
  bell.sleep(ticket);  // hangs if the ring was lost
}

TEST(doorbell, a_sleep_ends_by_its_time_out) {
  doorbell bell{};
  const auto start_ns = atl::now_ns();
  bell.sleep(bell.prepare(), 3'000'000);
  EXPECT_GE(atl::now_ns() - start_ns, 900'000);  // 1 ms where there is no fence
  bell.sleep(bell.prepare(), 0);
  bell.sleep(bell.prepare(), -5);
}

TEST_P(doorbell_fences, no_wake_is_lost_between_two_threads) {
  mailbox a{}, b{};
  prepare_bell(a.bell);
  prepare_bell(b.bell);
  std::thread other([&] { play(b, a, 20'000, false, sleep_at_once); });
  play(a, b, 20'000, true, sleep_at_once);
  other.join();
}

TEST_P(doorbell_fences, no_wake_is_lost_between_two_processes) {
  void* shared = ::mmap(nullptr, 2 * sizeof(mailbox), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* boxes = static_cast<mailbox*>(shared);  // zero bytes are a doorbell
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  doorbell::register_process();
  prepare_bell(boxes[child == 0].bell);  // the other side may have rung already
  play(boxes[child == 0], boxes[child != 0], 20'000, child != 0, {.spins = 5, .yields = 1});
  if (child == 0) ::_exit(0);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  ::munmap(shared, 2 * sizeof(mailbox));
}

TEST(doorbell, one_ring_wakes_all_who_sleep) {
  doorbell::register_process();
  mailbox box{};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 8; ++i) sleepers.emplace_back([&] { await(box, 1, sleep_at_once); });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  post(box, 1);
  for (auto& sleeper : sleepers) sleeper.join();
}

/// A barrier of a count and an epoch, whose last arrival rings everybody. A ring may come so late
/// that its rank is already falling asleep for the next round: it must not swallow that round's
/// ring.
void synchronise(std::vector<mailbox>& boxes, std::size_t self, std::atomic<std::uint32_t>& arrived,
                 std::atomic<std::uint32_t>& epoch) {
  const std::uint32_t next = epoch.load(std::memory_order_acquire) + 1;
  if (arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == boxes.size()) {
    arrived.store(0, std::memory_order_relaxed);
    epoch.store(next, std::memory_order_release);
    for (auto& box : boxes) box.bell.ring();
    return;
  }
  atl::wait_until(sleep_at_once, boxes[self].bell, [&] {
    return epoch.load(std::memory_order_acquire) == next ? poll_result::done : poll_result::idle;
  });
}

TEST_P(doorbell_fences, a_late_ring_does_not_swallow_the_next) {
  std::vector<mailbox> boxes(16);
  for (mailbox& each : boxes) prepare_bell(each.bell);
  std::atomic<std::uint32_t> arrived{0}, epoch{0};
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < boxes.size(); ++self)
    threads.emplace_back([&, self] {
      for (int round = 0; round < 2'000; ++round) synchronise(boxes, self, arrived, epoch);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(epoch.load(), 2'000u);
}

TEST(doorbell, many_senders_reach_one_sleeper) {
  doorbell::register_process();
  constexpr std::uint32_t senders = 4, each = 5'000;
  mailbox box{};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < senders; ++i)
    threads.emplace_back([&] {
      for (std::uint32_t n = 0; n < each; ++n) {
        box.value.fetch_add(1, std::memory_order_release);
        box.bell.ring();
      }
    });
  std::uint32_t seen = 0;
  atl::wait_until(sleep_at_once, box.bell, [&] {
    const auto now = box.value.load(std::memory_order_acquire);
    const bool more = now != seen;
    seen = now;
    if (seen == senders * each) return poll_result::done;
    return more ? poll_result::progress : poll_result::idle;
  });
  for (auto& thread : threads) thread.join();
}

/// Checks the doorbell where membarrier is refused; the exit code names the check that failed.
[[noreturn]] void play_without_the_fence() {
  atl::support::refuse_call(SYS_membarrier, EPERM);
  if (doorbell::register_process()) std::_Exit(1);
  if (doorbell::longest_sleep_ns() == doorbell::forever_ns) std::_Exit(2);
  mailbox a{}, b{};
  std::thread other([&] { play(b, a, 500, false, sleep_at_once); });
  play(a, b, 500, true, sleep_at_once);
  other.join();
  const auto ticket = a.bell.prepare();
  a.bell.sleep(ticket);  // hangs if it is not short
  if (a.bell.rang_since(ticket)) std::_Exit(3);
  a.bell.ring();  // an announced sleeper is woken all the same
  if (!a.bell.rang_since(ticket)) std::_Exit(4);
  std::_Exit(0);
}

TEST(doorbell_death, without_the_fence_sleeps_are_short_and_nothing_hangs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(play_without_the_fence(), ::testing::ExitedWithCode(0), "");
}

/// A bell whose ringers fence asks the kernel for nothing until somebody really sleeps; the exit
/// code names the check that failed.
[[noreturn]] void play_without_system_calls() {
  if (!doorbell::register_process()) std::_Exit(77);
  mailbox box{};
  box.bell.make_ringers_fence();
  atl::support::refuse_call(SYS_membarrier, EPERM);
  box.bell.ring();
  const auto ticket = box.bell.prepare();
  if (box.bell.rang_since(ticket)) std::_Exit(1);
  box.bell.ring();
  if (!box.bell.rang_since(ticket)) std::_Exit(2);
  box.bell.sleep(ticket);  // hangs if the ring was lost
  if (doorbell::longest_sleep_ns() != doorbell::forever_ns)
    std::_Exit(3);  // it was refused a fence
  std::_Exit(0);
}

TEST(doorbell_death, sleepers_interrupt_nobody_where_ringers_fence) {
  if (!doorbell::register_process()) GTEST_SKIP() << "membarrier is refused here";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(play_without_system_calls(), ::testing::ExitedWithCode(0), "");
}

// A core that was lent to another machine meanwhile is counted as used, so one of several waits
// must be good.
TEST(waiter, sleeping_uses_no_processor_time) {
  if (!doorbell::register_process()) GTEST_SKIP() << "membarrier is refused here";
  std::int64_t least_us = 1'000'000;
  for (int turn = 0; turn < 5 && least_us >= 50'000; ++turn) {
    mailbox box{};
    std::thread sleeper([&] {
      await(box, 1, atl::choose_wait_policy(wait_mode::automatic, {.ranks = 1, .cores = 1}));
      rusage used;
      ::getrusage(RUSAGE_THREAD, &used);
      const auto seconds = used.ru_utime.tv_sec + used.ru_stime.tv_sec;
      const auto us = used.ru_utime.tv_usec + used.ru_stime.tv_usec;
      least_us = std::min<std::int64_t>(least_us, seconds * 1'000'000 + us);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    post(box, 1);
    sleeper.join();
  }
  EXPECT_LT(least_us, 50'000);
}

TEST(waiter, policies_follow_the_cores) {
  const auto roomy = atl::choose_wait_policy(wait_mode::automatic, {.ranks = 2, .cores = 2});
  const auto oversubscribed =
      atl::choose_wait_policy(wait_mode::automatic, {.ranks = 16, .cores = 2});
  const auto distant =
      atl::choose_wait_policy(wait_mode::automatic, {.ranks = 2, .cores = 2, .has_network = true});
  EXPECT_GT(roomy.spins, distant.spins);
  EXPECT_GT(distant.spins, oversubscribed.spins);
  EXPECT_GT(roomy.yields, oversubscribed.yields);
  EXPECT_NE(roomy.yield_ns_max, 0u);
  EXPECT_GT(oversubscribed.yield_ns_max, roomy.yield_ns_max);
  EXPECT_EQ(atl::choose_wait_policy(wait_mode::spin, {.ranks = 16, .cores = 2}).spins,
            atl::wait_policy::endless);
  EXPECT_EQ(atl::choose_wait_policy(wait_mode::yield, {.ranks = 16, .cores = 2}).yields,
            atl::wait_policy::endless);
  EXPECT_EQ(atl::choose_wait_policy(wait_mode::sleep, {.ranks = 1, .cores = 2}).yields, 0);
}

TEST(waiter, spins_then_yields_then_sleeps_and_starts_anew_on_reset) {
  atl::waiter steps({.spins = 2, .yields = 3});
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(steps.stay_awake());
    EXPECT_FALSE(steps.stay_awake());
    EXPECT_FALSE(steps.stay_awake());
    steps.reset();
  }
}

// Another thread computes on the same core, so one of many yields gives it a time slice.
TEST(waiter, sleeps_early_where_others_want_the_core) {
  constexpr std::uint16_t yields = 60'000;
  const int core = ::sched_getcpu();
  cpu_set_t one_core;
  CPU_ZERO(&one_core);
  CPU_SET(core, &one_core);
  std::atomic<bool> begun = false, finished = false;
  std::uint32_t awake = 0;
  std::jthread busy([&] {
    ::sched_setaffinity(0, sizeof one_core, &one_core);
    begun = true;
    while (!finished.load(std::memory_order_relaxed)) {
    }
  });
  std::thread waiting([&] {
    ::sched_setaffinity(0, sizeof one_core, &one_core);
    while (!begun) std::this_thread::yield();
    atl::waiter steps({.spins = 0, .yields = yields, .yield_ns_max = 100'000});
    while (steps.stay_awake()) ++awake;
    EXPECT_FALSE(steps.stay_awake());
  });
  waiting.join();
  finished = true;
  EXPECT_LT(awake, yields);
}

TEST(waiter, endless_steps_never_sleep) {
  atl::waiter spinning({.spins = atl::wait_policy::endless});
  atl::waiter yielding({.spins = 1, .yields = atl::wait_policy::endless});
  for (int i = 0; i < 2000; ++i) {
    EXPECT_TRUE(spinning.stay_awake());
    EXPECT_TRUE(yielding.stay_awake());
  }
}

}  // namespace
