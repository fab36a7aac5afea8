// SPDX-License-Identifier: BSD-3-Clause
//
// Tests progress and personas (spec, chapter 10): stacks, scopes and locks, calls between personas
// and their results, the restricted context, discharge, the transfer of the master persona.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/rget.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/rput.hpp>
#include <upcxx/when_all.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using upcxx::operation_cx;
using upcxx::persona;
using upcxx::persona_scope;
using upcxx::rank_me;
using upcxx::rank_n;

static_assert(!std::is_copy_constructible_v<persona> && !std::is_move_constructible_v<persona>);
static_assert(std::is_move_constructible_v<persona_scope>);
static_assert(!std::is_copy_constructible_v<persona_scope>);

int next_rank() { return (rank_me() + 1) % rank_n(); }

TEST(persona_stack, has_the_default_at_the_bottom_and_the_newest_on_top) {
  persona& master = upcxx::master_persona();
  EXPECT_EQ(&upcxx::current_persona(), &master);
  EXPECT_TRUE(master.active_with_caller());
  EXPECT_TRUE(upcxx::default_persona().active_with_caller());
  persona own;
  EXPECT_FALSE(own.active_with_caller());
  {
    persona_scope scope(own);
    EXPECT_EQ(&upcxx::top_persona_scope(), &scope);
    EXPECT_EQ(&upcxx::current_persona(), &own);
    persona_scope again(own);
    persona_scope moved(std::move(again));
    EXPECT_EQ(&upcxx::top_persona_scope(), &moved);
    persona_scope above(master);
    EXPECT_EQ(&upcxx::current_persona(), &master);
  }
  EXPECT_FALSE(own.active_with_caller());
  EXPECT_EQ(&upcxx::current_persona(), &master);
  EXPECT_NE(&upcxx::default_persona_scope(), &upcxx::top_persona_scope());
  std::thread([&] {
    EXPECT_FALSE(master.active_with_caller());
    EXPECT_EQ(&upcxx::current_persona(), &upcxx::default_persona());
    EXPECT_EQ(&upcxx::default_persona_scope(), &upcxx::top_persona_scope());
  }).join();
}

TEST(persona_scope, holds_a_lock_and_hands_a_persona_from_thread_to_thread) {
  persona shared;
  std::mutex lock;
  std::optional<upcxx::future<int>> started;
  const auto place = upcxx::new_<int>(rank_me());
  std::thread([&] {
    const auto scope = persona_scope(lock, shared);
    started = upcxx::rget(place);
  }).join();
  {
    const persona_scope scope(lock, shared);
    EXPECT_EQ(started->wait(), rank_me());
    started.reset();
  }
  EXPECT_TRUE(lock.try_lock());
  lock.unlock();
  upcxx::delete_(place);
}

TEST(lpc, runs_later_with_its_persona_current_and_brings_back_what_it_returns) {
  persona& me = upcxx::current_persona();
  int ran = 0;
  me.lpc_ff([&] { ++ran; });
  EXPECT_EQ(ran, 0);
  while (ran == 0) upcxx::progress();

  static int number = 7;
  static_assert(std::is_same_v<decltype(me.lpc([] {})), upcxx::future<>>);
  static_assert(std::is_same_v<decltype(me.lpc([] { return 1; })), upcxx::future<int>>);
  static_assert(
      std::is_same_v<decltype(me.lpc([]() -> int& { return number; })), upcxx::future<int&>>);
  static_assert(std::is_same_v<decltype(me.lpc([]() -> int&& { return std::move(number); })),
                               upcxx::future<int>>);
  static_assert(std::is_same_v<decltype(me.lpc([] { return upcxx::make_future(1, 2.0); })),
                               upcxx::future<int, double>>);
  EXPECT_EQ(&me.lpc([]() -> int& { return number; }).wait_reference(), &number);
  EXPECT_EQ(me.lpc([] { return upcxx::make_future(1, 2.0); }).wait(), std::make_tuple(1, 2.0));
  EXPECT_EQ(*me.lpc([] { return std::make_unique<int>(4); }).wait_reference(), 4);
  struct only_as_rvalue {
    std::unique_ptr<int> held;
    int operator()() && { return *held; }
  };
  EXPECT_EQ(me.lpc(only_as_rvalue{std::make_unique<int>(3)}).wait(), 3);

  persona below;
  persona above;
  const persona_scope lower(below);
  const persona_scope upper(above);
  const auto current = [] { return &upcxx::current_persona(); };
  EXPECT_EQ(below.lpc(current).wait(), &below);
  EXPECT_EQ(above.lpc(current).wait(), &above);
  EXPECT_EQ(upcxx::default_persona().lpc(current).wait(), &upcxx::default_persona());
  EXPECT_TRUE(below.lpc([&] { return above.active_with_caller(); }).wait());
  // An operation that a call starts belongs to the persona of the call.
  EXPECT_EQ(below.lpc([] { return upcxx::rpc(next_rank(), [](int x) { return x; }, 8); }).wait(),
            8);
}

TEST(lpc, goes_between_threads_in_all_directions) {
  constexpr int threads = 4;
  constexpr int rounds = 300;
  std::array<std::atomic<persona*>, threads> personas{};
  std::atomic<int> ready = 0;
  std::atomic<int> through = 0;
  std::atomic<long> sum = 0;
  std::vector<std::thread> run;
  for (int t = 0; t < threads; ++t) {
    run.emplace_back([&, t] {
      personas[static_cast<std::size_t>(t)] = &upcxx::current_persona();
      ++ready;
      while (ready != threads) upcxx::progress();
      upcxx::future<> done = upcxx::make_future();
      for (int i = 0; i < rounds; ++i) {
        persona& to = *personas[static_cast<std::size_t>((t + i) % threads)].load();
        to.lpc_ff([&] { ++sum; });
        done = upcxx::when_all(done, to.lpc([i] { return i; }).then([&](int v) { sum += v; }));
      }
      done.wait();
      ++through;
      while (through != threads) upcxx::progress();
      upcxx::progress();  // runs calls that were sent before the last one had passed
    });
  }
  for (auto& each : run) each.join();
  EXPECT_EQ(sum, threads * (rounds + rounds * (rounds - 1L) / 2));
}

TEST(restricted_context, is_where_callbacks_run) {
  EXPECT_FALSE(upcxx::in_progress());
  bool within = false;
  upcxx::current_persona().lpc([&] { within = upcxx::in_progress(); }).wait();
  EXPECT_TRUE(within);
  upcxx::make_future().then([&] { within = upcxx::in_progress(); });
  EXPECT_FALSE(within);  // it ran at once, outside of progress
  // A call of progress() inside is allowed, but makes no user-level progress.
  int later = 0;
  upcxx::current_persona()
      .lpc([&] {
        upcxx::current_persona().lpc_ff([&] { ++later; });
        upcxx::progress();
        upcxx::progress(upcxx::progress_level::internal);
        return later;
      })
      .then([](int seen) { EXPECT_EQ(seen, 0); })
      .wait();
  while (later == 0) upcxx::progress();
}

int rpcs = 0;

TEST(discharge, lets_a_thread_go_away) {
  rpcs = 0;
  const auto place = upcxx::new_<int>(0);
  const auto places = [&] {
    std::vector<upcxx::global_ptr<int>> each;
    for (int r = 0; r < rank_n(); ++r) each.push_back(upcxx::broadcast(place, r).wait());
    return each;
  }();
  const auto target = places[static_cast<std::size_t>(next_rank())];
  persona& master = upcxx::master_persona();
  std::atomic<int> got = -1;
  std::atomic<bool> put = false;
  upcxx::barrier();
  std::atomic<bool> gone = false;
  std::thread other([&] {
    persona own;
    {
      const persona_scope scope(own);
      upcxx::rput(rank_me() + 5, target, operation_cx::as_lpc(master, [&] {
                                           put = true;
                                         }) | upcxx::remote_cx::as_rpc([] { ++rpcs; }));
      upcxx::discharge();
      EXPECT_FALSE(upcxx::progress_required());
      EXPECT_FALSE(upcxx::progress_required(upcxx::top_persona_scope()));
      upcxx::rget(target, operation_cx::as_lpc(master, [&](int v) { got = v; }));
      upcxx::discharge(upcxx::top_persona_scope());
      // The initiator's records end at its own user level.
      upcxx::current_persona().lpc([] {}).wait();
    }
    gone = true;
  });
  while (!gone || got == -1 || !put || rpcs != 1) upcxx::progress();
  other.join();
  EXPECT_EQ(got, rank_me() + 5);
  upcxx::barrier();
  EXPECT_EQ(*place.local(), (rank_me() + rank_n() - 1) % rank_n() + 5);
  upcxx::barrier();
  upcxx::delete_(place);
}

TEST(communication, comes_from_many_threads_at_once) {
  rpcs = 0;
  upcxx::barrier();
  constexpr int threads = 3;
  constexpr int rounds = 100;
  std::atomic<int> finished = 0;
  std::vector<std::thread> run;
  for (int t = 0; t < threads; ++t) {
    run.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        upcxx::rpc_ff(next_rank(), [] { ++rpcs; });
        EXPECT_EQ(upcxx::rpc((rank_me() + t) % rank_n(), [](int x) { return x; }, i).wait(), i);
      }
      ++finished;
    });
  }
  while (finished != threads || rpcs != threads * rounds) upcxx::progress();
  for (auto& each : run) each.join();
  upcxx::barrier();
}

// The last test: the thread that called init() releases the master persona, and gets it back by a
// scope.
TEST(master_persona, can_be_liberated_and_used_by_another_thread) {
  upcxx::barrier();
  upcxx::liberate_master_persona();
  EXPECT_FALSE(upcxx::master_persona().active_with_caller());
  std::mutex lock;
  std::thread([&] {
    const persona_scope scope(lock, upcxx::master_persona());
    EXPECT_TRUE(upcxx::master_persona().active_with_caller());
    EXPECT_EQ(upcxx::rpc(next_rank(), [] { return rank_me(); }).wait(), next_rank());
    upcxx::barrier();
  }).join();
  // For the rest of the program: finalize() needs it.
  static const persona_scope* const kept = new persona_scope(upcxx::master_persona());
  EXPECT_EQ(&upcxx::top_persona_scope(), kept);
  upcxx::barrier();
}

}  // namespace
