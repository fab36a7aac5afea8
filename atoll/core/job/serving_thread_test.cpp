// SPDX-License-Identifier: BSD-3-Clause
//
// Threads of the library that make progress: they run handlers while the program computes, take
// none of its signals, and a system that gives no thread is named.
#include <atoll/core/job/serving_thread.hpp>

#include <atoll/base/error.hpp>
#include <tests/support/refuse_call.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>
#include <vector>

namespace atl {
namespace {

constexpr handler_id noting = 200;

/// The signals that the thread blocks that runs a handler on rank 1, which itself does not poll.
class noted_signals {
 public:
  void exchange(runtime& job) {
    if (job.rank() == 1) {
      ASSERT_TRUE(job.primordial().handlers().set(noting, {.run = note, .context = this}));
    }
    job.world().barrier();
    if (job.rank() == 1) {
      computes_ = true;
      while (!is_noted_) std::this_thread::yield();
    } else {
      while (!computes_) std::this_thread::yield();
      job.primordial().request({.target = 1, .handler = noting});
    }
    job.world().barrier();
  }
  bool have(int signal) const { return sigismember(&mask_, signal) == 1; }

 private:
  static void note(void* self, am_token&, const std::uint32_t*, unsigned, void*, std::size_t) {
    auto& noted = *static_cast<noted_signals*>(self);
    ::pthread_sigmask(SIG_BLOCK, nullptr, &noted.mask_);
    noted.is_noted_ = true;
  }

  std::atomic<bool> computes_ = false;
  std::atomic<bool> is_noted_ = false;
  sigset_t mask_{};
};

TEST(serving_thread, runs_handlers_and_takes_no_signals) {
  noted_signals blocked;
  support::run_job(2, [&](runtime& job) {
    serving_thread serving(job);
    serving.start();
    blocked.exchange(job);
  });
  EXPECT_TRUE(blocked.have(SIGTERM));
  EXPECT_FALSE(blocked.have(SIGSEGV)) << "the handler of a fault is the program's";
}

TEST(serving_thread, is_like_the_progress_thread_of_a_setting) {
  noted_signals blocked;
  support::run_job(2, [&](runtime& job) { blocked.exchange(job); }, {"ATOLL_PROGRESS_THREAD=1"});
  EXPECT_TRUE(blocked.have(SIGTERM));
}

TEST(serving_thread, that_the_system_refuses_is_named_and_signals_come_as_before) {
  support::run_job(2, [](runtime& job) {
    serving_thread serving(job);
    if (job.rank() == 0) {
      for (const unsigned call : {SYS_clone3, SYS_clone}) support::refuse_call(call, EAGAIN);
      std::string message;
      try {
        serving.start();
      } catch (const error& refused) {
        message = refused.what();
      }
      EXPECT_NE(message.find("ulimit -u"), std::string::npos) << message;
      sigset_t mask;
      ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
      EXPECT_EQ(sigismember(&mask, SIGTERM), 0);
    }
    job.world().barrier();
  });
}

}  // namespace
}  // namespace atl
