// SPDX-License-Identifier: BSD-3-Clause
//
// Futures and promises by themselves (spec, chapter 5), without a job: when callbacks run, what the
// forms of result are, how values travel, that nothing is copied or kept that should not be, and
// that long chains neither recurse nor leak.
#include <gtest/gtest.h>
#include <upcxx/future.hpp>
#include <upcxx/promise.hpp>
#include <upcxx/when_all.hpp>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using upcxx::future;
using upcxx::make_future;
using upcxx::promise;
using upcxx::to_future;
using upcxx::when_all;

// Counts its living copies.
struct counted {
  static inline int alive = 0;
  static inline int copies = 0;
  int value = 0;
  explicit counted(int v) : value(v) { ++alive; }
  counted(const counted& other) : value(other.value) { ++alive, ++copies; }
  counted(counted&& other) noexcept : value(other.value) { ++alive; }
  counted& operator=(const counted&) = default;
  ~counted() { --alive; }
};

TEST(future, is_never_ready_when_it_is_made_of_nothing) {
  future<int> never;
  EXPECT_FALSE(never.ready());
  bool called = false;
  auto chained = never.then([&](int) { called = true; });
  EXPECT_FALSE(chained.ready());
  EXPECT_FALSE(when_all(never, 1).ready());
  EXPECT_FALSE(called);
}

TEST(future, carries_small_values_without_a_cell) {
  static_assert(sizeof(future<>) == sizeof(void*));
  static_assert(sizeof(future<int>) == 2 * sizeof(void*));
  const future<int, double> original = make_future(3, 0.5);
  const future<int, double> copy = original;
  EXPECT_TRUE(copy.ready());
  EXPECT_EQ(copy.result_tuple(), std::make_tuple(3, 0.5));
  EXPECT_EQ(copy.result<1>(), 0.5);
}

TEST(future, has_the_result_types_of_the_specification) {
  int x = 4;
  const auto empty = make_future();
  static_assert(std::is_void_v<decltype(empty.result())>);
  static_assert(std::is_void_v<decltype(empty.result<3>())>);
  const future<int&, std::string> two = make_future<int&, std::string>(x, "text");
  static_assert(std::is_same_v<decltype(two.result<0>()), int&>);
  static_assert(std::is_same_v<decltype(two.result<1>()), std::string>);
  static_assert(std::is_same_v<decltype(two.result()), std::tuple<int&, std::string>>);
  static_assert(std::is_same_v<decltype(two.result_reference<1>()), const std::string&>);
  static_assert(
      std::is_same_v<decltype(two.result_reference()), std::tuple<int&, const std::string&>>);
  static_assert(std::is_void_v<decltype(two.result<2>())>);
  static_assert(std::is_void_v<decltype(two.result<-2>())>);
  static_assert(std::is_same_v<decltype(std::declval<future<int&&>>().result_reference()), int&&>);
  two.result<0>() = 5;
  EXPECT_EQ(x, 5);
  EXPECT_EQ(&two.result_reference<0>(), &x);
  EXPECT_EQ(two.wait<1>(), "text");
}

TEST(future, runs_callbacks_at_once_when_ready_and_else_when_fulfilled) {
  std::vector<int> order;
  promise<int> later;
  const future<int> unready = later.get_future();
  auto first = unready.then([&](int v) { order.push_back(v); });
  auto second = unready.then([&](int v) {
    order.push_back(v + 1);
    return v * 2;
  });
  EXPECT_TRUE(order.empty());
  auto chained = second.then([&](const int& v) { return std::to_string(v); });
  later.fulfill_result(7);
  EXPECT_EQ(order, (std::vector<int>{7, 8}));
  EXPECT_TRUE(first.ready());
  EXPECT_EQ(chained.result(), "14");
  const auto now = chained.then([&](const std::string& s) { return s.size(); });
  EXPECT_EQ(now.result(), 2u);
}

TEST(future, waits_for_the_future_that_a_callback_returns) {
  promise<> go;
  promise<std::string> inner;
  future<std::string> outer = go.get_future().then([&] { return inner.get_future(); });
  go.fulfill_anonymous(1);
  EXPECT_FALSE(outer.ready());
  inner.fulfill_result("done");
  EXPECT_EQ(outer.result_reference(), "done");
  EXPECT_EQ(&outer.result_reference(),
            &inner.get_future().result_reference());  // shared, not copied
}

TEST(future, keeps_references_and_void_apart) {
  int target = 1;
  promise<> go;
  auto reference = go.get_future().then([&]() -> int& { return target; });
  static_assert(std::is_same_v<decltype(reference), future<int&>>);
  auto nothing = reference.then([](int& x) { x = 9; });
  static_assert(std::is_same_v<decltype(nothing), future<>>);
  go.finalize();
  EXPECT_EQ(target, 9);
  EXPECT_EQ(&reference.result(), &target);
}

TEST(future, passes_values_that_can_only_be_moved) {
  auto boxed = make_future(std::make_unique<int>(3));
  EXPECT_EQ(*boxed.result_reference(), 3);
  promise<> go;
  auto made = go.get_future().then([] { return std::make_unique<int>(4); });
  auto seen = made.then([](const std::unique_ptr<int>& p) { return *p; });
  auto inner = go.get_future().then([] { return make_future(std::make_unique<int>(5)); });
  go.finalize();
  EXPECT_EQ(seen.result(), 4);
  EXPECT_EQ(*inner.result_reference(), 5);
  auto joined = when_all(std::make_unique<int>(6), go.get_future());
  EXPECT_EQ(*joined.result_reference(), 6);
}

TEST(promise, counts_dependencies) {
  promise<int> counted_promise(2);
  counted_promise.require_anonymous(3);
  counted_promise.fulfill_anonymous(2);
  counted_promise.fulfill_result(11);
  EXPECT_FALSE(counted_promise.get_future().ready());
  const promise<int> copy = counted_promise;
  copy.fulfill_anonymous(0);
  copy.fulfill_anonymous(2);
  EXPECT_TRUE(counted_promise.get_future().ready());
  EXPECT_EQ(counted_promise.get_future().result(), 11);
}

TEST(promise, may_end_inside_of_what_it_makes_run) {
  auto owner = std::make_unique<promise<>>();
  bool ran = false;
  owner->get_future().then([&] {
    owner.reset();
    ran = true;
  });
  promise<>* const raw = owner.get();
  raw->finalize();
  EXPECT_TRUE(ran);
  EXPECT_EQ(owner, nullptr);
}

TEST(when_all, concatenates_futures_and_values) {
  promise<int, double> a;
  promise<> b;
  const std::string text = "x";
  auto joined = when_all(a.get_future(), text, b.get_future(), when_all(), 7u, make_future('c'));
  static_assert(std::is_same_v<decltype(joined), future<int, double, std::string, unsigned, char>>);
  b.finalize();
  EXPECT_FALSE(joined.ready());
  a.fulfill_result(1, 2.5);
  EXPECT_EQ(joined.result(), std::make_tuple(1, 2.5, std::string("x"), 7u, 'c'));
  EXPECT_TRUE(when_all().ready());
  EXPECT_TRUE(when_all(make_future(), 3).ready());
}

TEST(when_all, conjoins_a_million_without_recursion) {
  promise<> trigger;
  auto joined = make_future();
  for (int i = 0; i < 200000; ++i) joined = when_all(joined, trigger.get_future().then([] {}));
  auto end = joined;
  for (int i = 0; i < 200000; ++i) end = end.then([] {});
  EXPECT_FALSE(end.ready());
  trigger.finalize();
  EXPECT_TRUE(end.ready());
}

TEST(future, neither_copies_nor_keeps_more_than_it_must) {
  counted::copies = 0;
  {
    promise<counted> p;
    auto chained = p.get_future().then([](const counted& c) { return counted(c.value + 1); });
    p.fulfill_result(counted(1));
    EXPECT_EQ(chained.result_reference().value, 2);
    EXPECT_EQ(counted::copies, 0);
    EXPECT_EQ(counted::alive, 2);
    EXPECT_EQ(to_future(counted(5)).result_reference().value, 5);
    EXPECT_EQ(counted::copies, 0);
  }
  EXPECT_EQ(counted::alive, 0);
}

TEST(future, drops_callbacks_that_can_never_run) {
  const auto held = std::make_shared<int>(1);
  {
    promise<int> never;
    auto chained = never.get_future().then([held](int) {}).then([held] {});
    auto joined = when_all(never.get_future(), chained, 3).then([held](int, int) {});
    EXPECT_EQ(held.use_count(), 4);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(to_future, leaves_futures_as_they_are) {
  static_assert(std::is_same_v<decltype(to_future(make_future(1, 2))), future<int, int>>);
  static_assert(std::is_same_v<decltype(to_future(2.0)), future<double>>);
  EXPECT_EQ(to_future(2.0).result(), 2.0);
}

struct once_only {
  int add;
  int operator()(int to) && { return to + add; }
};

TEST(then, calls_its_callback_as_an_rvalue_also_at_once) {
  const once_only add_two{2};
  EXPECT_EQ(make_future(3).then(add_two).result(), 5);
  promise<int> later;
  const auto sum = later.get_future().then(add_two);
  later.fulfill_result(4);
  EXPECT_EQ(sum.result(), 6);
}

struct only_moved {
  explicit only_moved(int n) : number(n) {}
  only_moved(only_moved&&) = default;
  int number;
};
static_assert(std::is_trivially_copyable_v<only_moved>);

TEST(future, of_bytes_that_can_only_be_moved_is_shared_by_its_copies) {
  const auto original = make_future(only_moved(3), 4);
  const auto other = original;
  EXPECT_EQ(&original.result_reference<0>(), &other.result_reference<0>());
  EXPECT_EQ(other.then([](const only_moved& m, int n) { return m.number + n; }).result(), 7);
}

}  // namespace
