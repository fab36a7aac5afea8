// SPDX-License-Identifier: BSD-3-Clause
//
// Coroutines that return futures and wait for futures, without a job.
#include <gtest/gtest.h>
#include <upcxx/coroutine.hpp>
#include <upcxx/promise.hpp>
#include <upcxx/when_all.hpp>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using upcxx::future;
using upcxx::make_future;
using upcxx::promise;

future<int> add_later(future<int> a, future<int> b) { co_return co_await a + co_await b; }

TEST(coroutine, does_not_stop_for_what_is_ready) {
  const future<int> sum = add_later(make_future(3), make_future(4));
  EXPECT_TRUE(sum.ready());
  EXPECT_EQ(sum.result(), 7);
}

TEST(coroutine, goes_on_when_what_it_waits_for_is_fulfilled) {
  promise<int> a;
  promise<int> b;
  const future<int> sum = add_later(a.get_future(), b.get_future());
  const auto seen = sum.then([](int v) { return std::to_string(v); });
  b.fulfill_result(2);
  EXPECT_FALSE(sum.ready());
  a.fulfill_result(1);
  EXPECT_EQ(seen.result(), "3");
}

struct noted {
  bool& gone;
  ~noted() { gone = true; }
};

future<> watched(future<> trigger, bool& gone) {
  const noted local{gone};
  co_await std::move(trigger);  // what a coroutine keeps of a future keeps that future alive
}

TEST(coroutine, is_ready_only_when_its_variables_are_gone) {
  promise<> trigger;
  bool gone = false;
  bool gone_before = false;
  watched(trigger.get_future(), gone).then([&] { gone_before = gone; });
  trigger.finalize();
  EXPECT_TRUE(gone_before);
}

TEST(coroutine, is_destroyed_when_nobody_can_wake_it) {
  bool gone = false;
  {
    promise<> trigger;
    const auto never = watched(trigger.get_future(), gone);
    EXPECT_FALSE(gone);
  }
  EXPECT_TRUE(gone);
}

future<int, std::string> two() { co_return std::make_tuple(5, std::string("five")); }
future<std::unique_ptr<int>> boxed() { co_return std::make_unique<int>(6); }
future<int&> referred(int& x) { co_return x; }

TEST(coroutine, returns_several_values_references_and_what_only_moves) {
  EXPECT_EQ(two().result(), std::make_tuple(5, std::string("five")));
  EXPECT_EQ(*boxed().result_reference(), 6);
  int x = 1;
  EXPECT_EQ(&referred(x).result(), &x);
}

future<int> counted(future<int> previous) { co_return co_await previous + 1; }

TEST(coroutine, may_stand_in_long_chains) {
  promise<int> first;
  future<int> last = first.get_future();
  constexpr int length = 100000;
  for (int i = 0; i < length; ++i) last = counted(last);
  first.fulfill_result(0);
  EXPECT_EQ(last.result(), length);
}

}  // namespace
