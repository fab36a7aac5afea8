// SPDX-License-Identifier: BSD-3-Clause
//
// Personas and progress (spec 10.4, 10.5) in a job of one rank with several threads: which persona
// is current, where calls run and when, and how work moves between threads.
#include <gtest/gtest.h>
#include <upcxx/init.hpp>
#include <upcxx/persona.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/when_all.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

using upcxx::persona;
using upcxx::persona_scope;

struct job {
  job() { upcxx::init(); }
  ~job() { upcxx::finalize(); }
};

TEST(init, may_be_called_again_and_after_the_end) {
  EXPECT_FALSE(upcxx::initialized());
  for (int round = 0; round < 2; ++round) {
    upcxx::init();
    upcxx::init();
    EXPECT_EQ(upcxx::rank_n(), 1);
    EXPECT_EQ(upcxx::rank_me(), 0);
    EXPECT_EQ(upcxx::getenv_console("ATOLL_SURELY_NOT_SET_HERE"), nullptr);
    upcxx::finalize();
    EXPECT_TRUE(upcxx::initialized());
    upcxx::finalize();
    EXPECT_FALSE(upcxx::initialized());
  }
}

TEST(persona, of_the_thread_that_began_is_the_master) {
  const job session;
  EXPECT_EQ(&upcxx::current_persona(), &upcxx::master_persona());
  EXPECT_TRUE(upcxx::default_persona().active_with_caller());
  EXPECT_NE(&upcxx::default_persona(), &upcxx::master_persona());
  persona other;
  EXPECT_FALSE(other.active_with_caller());
  {
    auto scope = persona_scope(other);
    EXPECT_EQ(&upcxx::current_persona(), &other);
    EXPECT_EQ(&upcxx::top_persona_scope(), &scope);
    persona_scope moved(std::move(scope));
    EXPECT_EQ(&upcxx::top_persona_scope(), &moved);
  }
  EXPECT_EQ(&upcxx::current_persona(), &upcxx::master_persona());
}

TEST(lpc, runs_at_user_level_progress_and_never_at_once) {
  const job session;
  int ran = 0;
  upcxx::current_persona().lpc_ff([&] {
    ++ran;
    EXPECT_TRUE(upcxx::in_progress());
    upcxx::current_persona().lpc_ff([&] { ++ran; });
    upcxx::progress();
  });
  upcxx::progress(upcxx::progress_level::internal);
  EXPECT_EQ(ran, 0);
  upcxx::progress();
  EXPECT_EQ(ran, 1);
  upcxx::progress();
  EXPECT_EQ(ran, 2);
  EXPECT_FALSE(upcxx::in_progress());
}

TEST(lpc, brings_results_back) {
  const job session;
  persona& me = upcxx::current_persona();
  int x = 3;
  auto reference = me.lpc([&]() -> int& { return x; });
  static_assert(std::is_same_v<decltype(reference), upcxx::future<int&>>);
  EXPECT_EQ(&reference.wait(), &x);
  EXPECT_EQ(*me.lpc([] { return std::make_unique<int>(4); }).wait_reference(), 4);
  upcxx::promise<int, int> later;
  auto pair = me.lpc([&] { return later.get_future(); });
  me.lpc([] {}).wait();
  EXPECT_FALSE(pair.ready());
  later.fulfill_result(1, 2);
  EXPECT_EQ(pair.wait(), std::make_tuple(1, 2));
}

TEST(lpc, goes_from_thread_to_thread) {
  const job session;
  constexpr int threads = 3;
  constexpr int rounds = 2000;
  std::atomic<int> ready = 0;
  std::atomic<bool> finished = false;
  std::vector<persona*> others(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      others[static_cast<std::size_t>(t)] = &upcxx::default_persona();
      ready.fetch_add(1);
      while (!finished.load()) upcxx::progress();
    });
  }
  while (ready.load() != threads) std::this_thread::yield();
  long sum = 0;
  auto combined = upcxx::make_future();
  for (int i = 0; i < rounds; ++i) {
    persona& to = *others[static_cast<std::size_t>(i % threads)];
    combined = upcxx::when_all(combined, to.lpc([i] { return i; }).then([&](int v) { sum += v; }));
  }
  combined.wait();
  EXPECT_EQ(sum, long{rounds} * (rounds - 1) / 2);
  finished = true;
  for (std::thread& each : running) each.join();
}

TEST(persona_scope, hands_a_persona_from_thread_to_thread_under_a_lock) {
  const job session;
  persona shared;
  std::mutex lock;
  int runs = 0;
  std::vector<std::thread> running;
  for (int t = 0; t < 3; ++t) {
    running.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        shared.lpc_ff([&] { ++runs; });
        auto scope = persona_scope(lock, shared);
        upcxx::progress();
      }
    });
  }
  for (std::thread& each : running) each.join();
  const persona_scope scope(shared);
  upcxx::progress();
  EXPECT_EQ(runs, 600);
}

TEST(master_persona, may_be_liberated_for_another_thread) {
  upcxx::init();
  upcxx::liberate_master_persona();
  EXPECT_FALSE(upcxx::master_persona().active_with_caller());
  std::thread([] {
    const persona_scope scope(upcxx::master_persona());
    upcxx::master_persona().lpc([] {}).wait();
  }).join();
  const persona_scope scope(upcxx::master_persona());
  EXPECT_FALSE(upcxx::progress_required());
  upcxx::discharge();
  upcxx::finalize();
}

}  // namespace
