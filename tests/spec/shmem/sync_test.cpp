// SPDX-License-Identifier: BSD-3-Clause
//
// Tests waiting and testing in all forms, ordering, and locks.
#include <tests/spec/shmem/job.hpp>

#include <dlfcn.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

namespace {

thread_local int yields = 0;  // a thread that makes progress yields as often as it likes
std::atomic<int> wakes = 0;

}  // namespace

// Replaces the call by which the library yields.
extern "C" int sched_yield() noexcept {
  ++yields;
  return static_cast<int>(::syscall(SYS_sched_yield));
}

// Replaces the call that inline code makes when it has found a PE asleep.
extern "C" void atoll_shmem_wake(int pe) {
  ++wakes;
  reinterpret_cast<void (*)(int)>(::dlsym(RTLD_NEXT, "atoll_shmem_wake"))(pe);
}

namespace {

template <class T>
void wait_for_neighbour() {
  static T number;
  number = 0;
  shmem_barrier_all();
  shmem_p(&number, static_cast<T>(me() + 1), right());
  shmem_wait_until(&number, SHMEM_CMP_NE, static_cast<T>(0));
  EXPECT_EQ(number, static_cast<T>(left() + 1));
  EXPECT_NE(shmem_test(&number, SHMEM_CMP_GT, static_cast<T>(0)), 0);
  EXPECT_EQ(shmem_test(&number, SHMEM_CMP_LE, static_cast<T>(0)), 0);
  shmem_barrier_all();
}

#define WAITING_TYPE(P, T, TYPE) \
  TEST(wait, T) { wait_for_neighbour<TYPE>(); }
ATOLL_SHMEM_WAIT_DISTINCT(WAITING_TYPE, )

TEST(wait, sets_of_variables_all_any_some) {
  static std::uint64_t flags[8];
  for (auto& each : flags) each = 0;
  shmem_barrier_all();
  for (int i = 0; i < 8; ++i) shmem_atomic_set(&flags[i], std::uint64_t(i + 1), right());
  shmem_wait_until_all(flags, 8, nullptr, SHMEM_CMP_NE, std::uint64_t{0});
  EXPECT_EQ(shmem_test_all(flags, 8, nullptr, SHMEM_CMP_GT, std::uint64_t{0}), 1);
  std::uint64_t values[8];
  std::iota(values, values + 8, 1);
  shmem_wait_until_all_vector(flags, 8, nullptr, SHMEM_CMP_EQ, values);
  std::vector<int> mask(8, 1);
  mask[5] = 0;
  EXPECT_EQ(shmem_wait_until_any(flags, 8, mask.data(), SHMEM_CMP_EQ, std::uint64_t{6}), 5u);
  EXPECT_EQ(shmem_test_any_vector(flags, 8, mask.data(), SHMEM_CMP_EQ, values), 5u);
  std::size_t indices[8];
  EXPECT_EQ(shmem_wait_until_some(flags, 8, indices, nullptr, SHMEM_CMP_GE, std::uint64_t{7}), 2u);
  EXPECT_EQ(indices[0] + indices[1], 13u);
  EXPECT_EQ(shmem_test_some(flags, 8, indices, nullptr, SHMEM_CMP_GT, std::uint64_t{8}), 0u);
  shmem_barrier_all();
}

TEST(wait, empty_and_masked_sets_do_not_wait) {
  static long flags[3];
  const int masked[3] = {1, 1, 1};
  std::size_t indices[3];
  shmem_wait_until_all(flags, 0, nullptr, SHMEM_CMP_EQ, 5L);
  shmem_wait_until_all(flags, 3, masked, SHMEM_CMP_EQ, 5L);
  EXPECT_EQ(shmem_wait_until_any(flags, 3, masked, SHMEM_CMP_EQ, 5L), SIZE_MAX);
  EXPECT_EQ(shmem_wait_until_some(flags, 3, indices, masked, SHMEM_CMP_EQ, 5L), 0u);
  EXPECT_EQ(shmem_test_all(flags, 3, masked, SHMEM_CMP_EQ, 5L), 1);
  EXPECT_EQ(shmem_test_any(flags, 0, nullptr, SHMEM_CMP_EQ, 5L), SIZE_MAX);
  EXPECT_EQ(shmem_test_some(flags, 3, indices, masked, SHMEM_CMP_EQ, 5L), 0u);
}

TEST(wait, any_finds_every_variable_in_the_end) {
  static long flags[5] = {1, 1, 1, 1, 1};
  std::vector<int> found(5, 0);
  for (int i = 0; i < 5; ++i) ++found[shmem_wait_until_any(flags, 5, nullptr, SHMEM_CMP_EQ, 1L)];
  EXPECT_EQ(found, std::vector<int>(5, 1));
}

TEST(wait, any_is_fair_to_sets_that_are_searched_in_turns) {
  static long left[2] = {1, 1}, right[2] = {1, 1};
  std::vector<int> found_left(2, 0), found_right(2, 0);
  for (int i = 0; i < 64; ++i) {
    ++found_left[shmem_wait_until_any(left, 2, nullptr, SHMEM_CMP_EQ, 1L)];
    ++found_right[shmem_wait_until_any(right, 2, nullptr, SHMEM_CMP_EQ, 1L)];
  }
  for (const int each : found_left) EXPECT_GT(each, 0);
  for (const int each : found_right) EXPECT_GT(each, 0);
}

TEST(wait, sees_a_plain_store_of_another_thread) {
  static long flag;
  flag = 0;
  std::thread writer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic_ref(flag).store(3);
  });
  shmem_wait_until(&flag, SHMEM_CMP_EQ, 3L);
  writer.join();
}

double processor_seconds() {
  timespec used;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// A core that was lent to another machine meanwhile is counted as used, so one of several waits
// must be good.
TEST(wait, sleeps_when_it_is_long) {
  static long flag;
  flag = 0;
  double least = me() == 0 ? 0 : 0.4;
  for (long turn = 1; turn <= 3; ++turn) {
    shmem_barrier_all();
    if (me() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      for (int pe = 1; pe < pes(); ++pe) shmem_atomic_set(&flag, turn, pe);
    } else {
      const double start = processor_seconds();
      shmem_wait_until(&flag, SHMEM_CMP_EQ, turn);
      least = std::min(least, processor_seconds() - start);
    }
  }
  EXPECT_LT(least, 0.2);  // it would be 0.4 if it did not sleep
  shmem_barrier_all();
}

// A change that inline code makes to a flag of a sleeping PE wakes that PE. On a busy machine the
// PE may fall asleep late, so there are several attempts, of which one must succeed.
template <class Change>
void expect_wake(const char* name, Change change) {
  static unsigned long flag;
  static int found;
  const int count_before = wakes;
  found = 0;
  for (int attempt = 1; attempt <= 60 && found == 0; ++attempt) {
    flag = 0;
    shmem_barrier_all();
    if (me() == 0) {
      const int pause_ms = attempt < 10 ? 2 : attempt < 50 ? 20 : 200;
      std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
      change(&flag);
      found = wakes > count_before || shmem_ptr(&flag, 1) == nullptr ? 1 : 0;
    } else if (me() == 1) {
      shmem_wait_until(&flag, SHMEM_CMP_EQ, 1UL);
    }
    shmem_barrier_all();
    if (me() != 0) found = shmem_g(&found, 0);
  }
  EXPECT_EQ(found, 1) << name;
  shmem_barrier_all();
}

TEST(wait, is_ended_by_inline_code) {
  if (pes() == 1) return;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  ASSERT_EQ(shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &ctx), 0);
  expect_wake("p", [](unsigned long* flag) { shmem_p(flag, 1UL, 1); });
  expect_wake("p of a context", [&](unsigned long* flag) { shmem_p(ctx, flag, 1UL, 1); });
  expect_wake("put", [](unsigned long* flag) {
    constexpr unsigned long one = 1;
    shmem_put(flag, &one, 1, 1);
  });
  expect_wake("set", [](unsigned long* flag) { shmem_atomic_set(flag, 1UL, 1); });
  expect_wake("swap", [](unsigned long* flag) { shmem_atomic_swap(flag, 1UL, 1); });
  expect_wake("compare_swap",
              [](unsigned long* flag) { shmem_atomic_compare_swap(flag, 0UL, 1UL, 1); });
  expect_wake("add", [&](unsigned long* flag) { shmem_atomic_add(ctx, flag, 1UL, 1); });
  expect_wake("fetch_inc", [](unsigned long* flag) { shmem_atomic_fetch_inc(flag, 1); });
  expect_wake("or", [](unsigned long* flag) { shmem_atomic_or(flag, 1UL, 1); });
  shmem_ctx_destroy(ctx);
}

// The target computes or sleeps, and does not call the library.
TEST(progress, does_not_need_the_target) {
  static long counter;
  static long guarded;
  static long finished;
  static long lock;
  counter = guarded = finished = 0;
  shmem_barrier_all();
  if (me() != 0) {
    for (int i = 0; i < 100; ++i) {
      shmem_atomic_fetch_inc(&counter, 0);
      shmem_set_lock(&lock);
      shmem_p(&guarded, shmem_g(&guarded, 0) + 1, 0);
      shmem_quiet();
      shmem_clear_lock(&lock);
    }
    shmem_atomic_inc(&finished, 0);
    shmem_quiet();
  }
  const std::atomic_ref<long> all_finished(finished);
  for (int waits = 0; me() == 0 && all_finished != pes() - 1; ++waits) {
    ASSERT_LT(waits, 150'000);  // at least 150 s
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  shmem_barrier_all();
  EXPECT_EQ(shmem_g(&counter, 0), 100 * (pes() - 1));
  EXPECT_EQ(shmem_g(&guarded, 0), 100 * (pes() - 1));
  shmem_barrier_all();
}

// A loop of tests yields the core: almost every time where PEs share cores, else rarely.
template <class Test>
void expect_yields(Test test) {
  constexpr int times = 1000;
  const int count_before = yields;
  for (int i = 0; i < times; ++i) test();
  cpu_set_t own;
  ASSERT_EQ(::sched_getaffinity(0, sizeof own, &own), 0);
  EXPECT_GE(yields - count_before, pes() > CPU_COUNT(&own) ? times - 20 : 2) << pes();
}

TEST(wait, loops_of_tests_give_the_core_away) {
  static long number;
  static long lock;
  std::size_t indices[1];
  number = 0;
  shmem_barrier_all();
  expect_yields([&] { return shmem_test(&number, SHMEM_CMP_EQ, 1L); });
  expect_yields([&] { return shmem_test_all(&number, 1, nullptr, SHMEM_CMP_EQ, 1L); });
  expect_yields([&] { return shmem_test_any(&number, 1, nullptr, SHMEM_CMP_EQ, 1L); });
  expect_yields([&] { return shmem_test_some(&number, 1, indices, nullptr, SHMEM_CMP_EQ, 1L); });
  if (me() == 0) shmem_set_lock(&lock);
  shmem_barrier_all();
  expect_yields([&] { return shmem_test_lock(&lock); });
  shmem_barrier_all();
  if (me() == 0) shmem_clear_lock(&lock);
  shmem_barrier_all();
}

/// How many yields ten thousand calls make.
template <class Fetch>
int yields_of(Fetch fetch) {
  const int count_before = yields;
  for (int i = 0; i < 10000; ++i) fetch();
  return yields - count_before;
}

// A loop that repeatedly fetches the same value also yields, where PEs share cores and a fetch is a
// load; over messages each fetch waits anyway. Fetches with changing results do not yield.
TEST(wait, loops_of_fetches_give_the_core_away) {
  static long number;
  static long counter;
  number = counter = 0;
  cpu_set_t own;
  ASSERT_EQ(::sched_getaffinity(0, sizeof own, &own), 0);
  const int wanted = pes() > CPU_COUNT(&own) ? 5 : 0;
  shmem_barrier_all();
  if (shmem_ptr(&number, right()) != nullptr) {
    long copy = 0;
    EXPECT_GE(yields_of([&] { shmem_g(&number, right()); }), wanted);
    EXPECT_GE(yields_of([&] { shmem_get(&copy, &number, 1, right()); }), wanted);
    EXPECT_GE(yields_of([&] { shmem_atomic_fetch(&number, right()); }), wanted);
    EXPECT_GE(yields_of([&] { shmem_atomic_compare_swap(&number, 1L, 2L, right()); }), wanted);
    EXPECT_LE(yields_of([&] { shmem_atomic_fetch_inc(&counter, right()); }), 1);
  }
  shmem_barrier_all();
}

TEST(order, fence_keeps_puts_in_order) {
  static long data;
  static long flag;
  data = flag = 0;
  shmem_barrier_all();
  for (long round = 1; round <= 2000; ++round) {
    shmem_p(&data, round, right());
    shmem_fence();
    shmem_p(&flag, round, right());
    shmem_wait_until(&flag, SHMEM_CMP_GE, round);
    ASSERT_GE(std::atomic_ref(data).load(), round);
    if (round % 100 == 0) shmem_barrier_all();
  }
  shmem_barrier_all();
}

// Two PEs put, call quiet and get: at least one sees the other's put.
TEST(order, quiet_holds_a_later_get_behind_an_earlier_put) {
  static long mark;
  static long seen;
  if (pes() < 2) return;
  for (long round = 1; round <= 3000; ++round) {
    if (me() < 2) {
      const int other = 1 - me();
      shmem_p(&mark, round, other);
      shmem_quiet();
      // The other PE puts into this PE's `mark`, and this PE into the other's.
      seen = std::atomic_ref(mark).load();
    }
    shmem_barrier_all();
    if (me() == 0) {
      ASSERT_TRUE(seen == round || shmem_g(&seen, 1) == round);
    }
    shmem_barrier_all();
  }
}

TEST(order, empty_calls_and_invalid_contexts_do_nothing) {
  shmem_pe_quiet(nullptr, 0);
  const int targets[] = {0};
  shmem_pe_quiet(targets, 1);
  shmem_ctx_pe_quiet(SHMEM_CTX_DEFAULT, targets, 1);
  shmem_ctx_quiet(SHMEM_CTX_INVALID);
  shmem_ctx_fence(SHMEM_CTX_INVALID);
}

TEST(locks, let_one_pe_in_at_a_time) {
  static long locks[3];
  static long counters[3];
  for (long& each : counters) each = 0;
  shmem_barrier_all();
  for (int i = 0; i < 150; ++i) {
    const int which = i % 3;
    if (i % 5 == 0) {
      while (shmem_test_lock(&locks[which]) != 0) {
      }
    } else {
      shmem_set_lock(&locks[which]);
    }
    shmem_p(&counters[which], shmem_g(&counters[which], 0) + 1, 0);
    shmem_clear_lock(&locks[which]);
  }
  shmem_barrier_all();
  if (me() == 0) {
    EXPECT_EQ(counters[0] + counters[1] + counters[2], 150 * pes());
  }
  for (const long each : locks) EXPECT_EQ(each, 0);
  shmem_barrier_all();
}

}  // namespace

TEST_MAIN(SHMEM_THREAD_MULTIPLE)
