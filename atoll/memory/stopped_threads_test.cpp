// SPDX-License-Identifier: BSD-3-Clause
//
// Threads stand still for as long as the object lives, and go on afterwards: also one that was held
// by something else meanwhile and comes too late, and one that ends instead of answering.
#include <atoll/memory/stopped_threads.hpp>

#include <atoll/base/system/blocked_signals.hpp>

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <thread>

namespace atl::memory {
namespace {

using namespace std::chrono_literals;

/// Counts for as long as it lives.
class counting_thread {
 public:
  ~counting_thread() {
    ends_ = true;
    thread_.join();
  }

  pid_t id() const noexcept {
    while (id_ == 0) std::this_thread::yield();
    return id_;
  }

  std::uint64_t count() const noexcept { return count_; }

  /// Returns when it has counted on; the test's time-out is the limit.
  void wait_for_more() const {
    const std::uint64_t before = count_;
    while (count_ == before) std::this_thread::yield();
  }

 private:
  std::atomic<bool> ends_ = false;
  std::atomic<pid_t> id_ = 0;
  std::atomic<std::uint64_t> count_ = 0;
  std::thread thread_{[this] {
    id_ = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!ends_) ++count_;
  }};
};

TEST(stopped_threads, stand_still_and_go_on) {
  counting_thread first;
  counting_thread second;
  for (int round = 0; round < 15; ++round) {
    {
      const stopped_threads others;
      ASSERT_TRUE(others.complete());
      EXPECT_EQ(others.count(), 2u);
      const std::uint64_t before = first.count() + second.count();
      std::this_thread::sleep_for(100us);
      EXPECT_EQ(first.count() + second.count(), before);
    }
    first.wait_for_more();
    second.wait_for_more();
  }
}

// A child process holds the thread as a debugger does.
TEST(stopped_threads, that_answer_too_late_go_on) {
  counting_thread late;
  counting_thread punctual;
  const pid_t thread = late.id();
  int ready[2];
  int go_on[2];
  ASSERT_EQ(::pipe(ready) + ::pipe(go_on), 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const bool held =
        ::ptrace(PTRACE_ATTACH, thread, 0, 0) == 0 && ::waitpid(thread, nullptr, __WALL) == thread;
    char answer = held ? 'y' : 'n';
    static_cast<void>(!::write(ready[1], &answer, 1));
    static_cast<void>(!::read(go_on[0], &answer, 1));
    ::ptrace(PTRACE_DETACH, thread, 0, 0);
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  if (answer == 'y') {
    const stopped_threads others;
    EXPECT_FALSE(others.complete());
  }
  ASSERT_EQ(::write(go_on[1], "!", 1), 1);
  ASSERT_EQ(::waitpid(holder, nullptr, 0), holder);
  for (const int end : {ready[0], ready[1], go_on[0], go_on[1]}) ::close(end);
  if (answer != 'y') GTEST_SKIP() << "a child process may not hold a thread of its parent";
  for (int round = 0; round < 10; ++round) {
    late.wait_for_more();
    punctual.wait_for_more();
    const stopped_threads others;
    EXPECT_TRUE(others.complete());
  }
  late.wait_for_more();
}

TEST(stopped_threads, that_block_all_signals_can_accept_stops) {
  std::atomic<bool> ends = false;
  std::atomic<bool> accepts = false;
  std::thread deaf;
  {
    const blocked_signals meanwhile;
    deaf = std::thread([&] {
      accept_stops();
      accepts = true;
      while (!ends) {
      }
    });
  }
  while (!accepts) std::this_thread::yield();
  {
    const stopped_threads others;
    EXPECT_TRUE(others.complete());
    EXPECT_EQ(others.count(), 1u);
  }
  ends = true;
  deaf.join();
}

TEST(stopped_threads, are_not_missed_when_they_end) {
  std::atomic<bool> ends = false;
  std::thread maker([&ends] {
    while (!ends) std::thread([] {}).join();
  });
  for (int round = 0; round < 100; ++round) {
    const stopped_threads others;
    ASSERT_TRUE(others.complete()) << "round " << round;
  }
  ends = true;
  maker.join();
}

}  // namespace
}  // namespace atl::memory
