// SPDX-License-Identifier: BSD-3-Clause
//
// Tests chapter 5: futures and promises of operations between ranks; result types, callbacks,
// conjoining, and additions of C++20: co_await, coroutine functions, structured bindings.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/upcxx.hpp>

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
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::rpc;

int next() { return (rank_me() + 1) % rank_n(); }

// --- types -------------------------------------------------------------------------------------

static_assert(std::is_default_constructible_v<future<int>> &&
              std::is_copy_assignable_v<future<std::string>>);
static_assert(std::is_copy_constructible_v<promise<>> && std::is_copy_assignable_v<promise<int>>);
static_assert(std::is_convertible_v<int, promise<>>);
static_assert(std::is_same_v<decltype(make_future(1, std::string())), future<int, std::string>>);
static_assert(std::is_same_v<decltype(make_future<const int&>(std::declval<const int&>())),
                             future<const int&>>);
static_assert(std::is_same_v<decltype(upcxx::to_future(make_future(1))), future<int>>);
static_assert(std::is_same_v<decltype(upcxx::when_all()), future<>>);
static_assert(std::is_same_v<decltype(upcxx::when_all(std::declval<future<int, char>&>(), 1.5f,
                                                      std::declval<future<>>())),
                             future<int, char, float>>);

template <class... T>
using future_ref = const future<T...>&;
template <class Future>
using result_of_all = decltype(std::declval<Future>().result());
template <int I, class Future>
using reference_of = decltype(std::declval<Future>().template result_reference<I>());

static_assert(std::is_void_v<result_of_all<future_ref<>>>);
static_assert(std::is_same_v<result_of_all<future_ref<int>>, int>);
static_assert(std::is_same_v<result_of_all<future_ref<int, int&>>, std::tuple<int, int&>>);
static_assert(std::is_same_v<result_of_all<future<std::string>>, std::string>);
static_assert(std::is_void_v<decltype(std::declval<future_ref<int>>().result<1>())>);
static_assert(std::is_void_v<decltype(std::declval<future_ref<int>>().wait<-2>())>);
static_assert(std::is_same_v<reference_of<0, future_ref<int>>, const int&>);
static_assert(std::is_same_v<reference_of<0, future_ref<int&>>, int&>);
static_assert(std::is_same_v<reference_of<0, future_ref<const int&&>>, const int&&>);
static_assert(std::is_same_v<reference_of<-1, future_ref<int, int&, int&&>>,
                             std::tuple<const int&, int&, int&&>>);
static_assert(std::is_void_v<reference_of<2, future_ref<int>>>);

TEST(future, is_not_copied_out_of_a_temporary_that_owns_it) {
  struct log {
    int copies = 0;
    int moves = 0;
  };
  struct value {
    log* to;
    explicit value(log& l) : to(&l) {}
    value(const value& v) : to(v.to) { ++to->copies; }
    value(value&& v) noexcept : to(v.to) { ++to->moves; }
    ~value() {}
  };
  log counts;
  static_cast<void>(make_future(value(counts)).wait());
  EXPECT_EQ(counts.copies, 0);
  const auto shared = make_future(value(counts));
  static_cast<void>(shared.wait());
  EXPECT_EQ(counts.copies, 1);
  auto copy = shared;
  static_cast<void>(std::move(copy).result());  // `shared` must still see it
  EXPECT_EQ(counts.copies, 2);
  promise<value, int> kept;
  kept.fulfill_result(value(counts), 1);
  static_cast<void>(kept.get_future().wait_tuple());  // the promise must still see it
  EXPECT_EQ(counts.copies, 3);
}

TEST(future, brings_what_only_moves_by_reference) {
  auto made = make_future(std::make_unique<int>(5));
  EXPECT_EQ(*made.result_reference(), 5);
  const auto doubled = made.then([](const std::unique_ptr<int>& p) { return *p * 2; });
  EXPECT_EQ(doubled.wait(), 10);
  const auto moved = upcxx::when_all(std::make_unique<int>(6));
  EXPECT_EQ(*moved.wait_reference(), 6);
}

// --- between ranks -----------------------------------------------------------------------------

TEST(future, chains_through_several_ranks) {
  const int hops = 3 * rank_n();
  future<int> sum = make_future(0);
  for (int i = 0; i < hops; ++i) {
    sum = sum.then([](int so_far) {
      return rpc(next(), [](int value) { return value + rank_me(); }, so_far);
    });
  }
  EXPECT_EQ(sum.wait(), hops * next());
}

TEST(future, of_an_rpc_waits_for_the_future_that_it_returns) {
  const auto text = rpc(
      next(),
      [](int from) {
        return rpc(from, [] { return rank_me(); }).then([](int rank) {
          return make_future(std::string("rank "), rank);
        });
      },
      rank_me());
  static_assert(std::is_same_v<decltype(text), const future<std::string, int>>);
  const auto [words, rank] = text.wait_tuple();
  EXPECT_EQ(words, "rank ");
  EXPECT_EQ(rank, rank_me());
  EXPECT_EQ(text.wait<1>(), rank_me());
  EXPECT_EQ(text.wait_reference<0>(), "rank ");
}

TEST(future, callbacks_run_in_order_before_fulfilment_returns) {
  promise<int> source;
  std::vector<int> order;
  const future<int> waiting = source.get_future();
  for (int i = 0; i < 5; ++i) waiting.then([&order, i](int v) { order.push_back(10 * v + i); });
  const auto chained =
      waiting.then([&](int) { order.push_back(-1); }).then([&] { order.push_back(-2); });
  EXPECT_TRUE(order.empty());
  source.fulfill_result(1);
  EXPECT_EQ(order, (std::vector<int>{10, 11, 12, 13, 14, -1, -2}));
  EXPECT_TRUE(chained.is_ready());
  waiting.then([&](int) { order.clear(); });
  EXPECT_TRUE(order.empty());
}

TEST(future, keeps_references_as_they_are) {
  int number = 1;
  const auto bound = make_future<int&>(number).then([](int& r) -> int& { return ++r; });
  static_assert(std::is_same_v<decltype(bound), const future<int&>>);
  EXPECT_EQ(&bound.wait(), &number);
  EXPECT_EQ(number, 2);
  const auto decayed = make_future(3).then([](const int& v) { return v + 1; });
  EXPECT_EQ(decayed.result(), 4);
}

TEST(when_all, joins_operations_and_values_of_all_ranks) {
  future<> joined = make_future();
  std::vector<int> seen(static_cast<std::size_t>(rank_n()), -1);
  for (int rank = 0; rank < rank_n(); ++rank) {
    const auto done = rpc(rank, [] { return rank_me(); }).then([&seen, rank](int answer) {
      seen[static_cast<std::size_t>(rank)] = answer;
    });
    joined = upcxx::when_all(joined, done);
  }
  joined.wait();
  for (int rank = 0; rank < rank_n(); ++rank) EXPECT_EQ(seen[static_cast<std::size_t>(rank)], rank);
  const auto [a, b, c, d] = upcxx::when_all(rpc(next(), [] { return 1; }), 2.5, make_future(),
                                            std::string("three"), upcxx::when_all(make_future('4')))
                                .wait();
  EXPECT_EQ(std::make_tuple(a, b, c, d), std::make_tuple(1, 2.5, std::string("three"), '4'));
}

TEST(promise, counts_operations_of_several_kinds) {
  const auto own = upcxx::new_array<int>(8);
  upcxx::dist_object<upcxx::global_ptr<int>> directory(own);
  const auto target = directory.fetch(next()).wait();
  promise<> done;
  for (int i = 0; i < 8; ++i) {
    upcxx::rput(i * 3, target + i, upcxx::operation_cx::as_promise(done));
  }
  rpc(next(), upcxx::operation_cx::as_promise(done), [] {});
  done.require_anonymous(2);
  promise<> copy = done;
  copy.fulfill_anonymous(1);
  done.fulfill_anonymous(1);
  done.finalize().wait();
  EXPECT_TRUE(copy.get_future().ready());
  upcxx::barrier();
  EXPECT_EQ(own.local()[7], 21);
  promise<int, std::string> pair(3);
  pair.fulfill_result(1, "text");
  pair.fulfill_anonymous(0);
  pair.fulfill_anonymous(1);
  EXPECT_FALSE(pair.get_future().ready());
  EXPECT_EQ(pair.finalize().result(), std::make_tuple(1, std::string("text")));
  promise<> reused = {};
  static_cast<void>(reused.finalize());
  reused = promise<>(2);
  EXPECT_FALSE(reused.get_future().ready());
  upcxx::barrier();
  upcxx::delete_array(own);
}

TEST(promise, may_hold_what_neither_moves_nor_copies) {
  struct fixed {
    int a;
    int b;
    fixed(int x, int y) : a(x), b(y) {}
    explicit fixed(std::pair<int, int> from) : a(from.first), b(from.second) {}
    fixed(const fixed&) = delete;
  };
  promise<fixed> in_place;
  in_place.fulfill_result(std::pair(1, 2));
  EXPECT_EQ(in_place.get_future().result_reference().b, 2);
}

// --- coroutines --------------------------------------------------------------------------------

future<int> sum_of_all_ranks() {
  int sum = 0;
  for (int rank = 0; rank < rank_n(); ++rank) sum += co_await rpc(rank, [] { return rank_me(); });
  co_return sum;
}

future<int, std::string> two_values() {
  const auto [number, text] =
      co_await rpc(next(), [] { return make_future(rank_me(), std::string("there")); });
  co_return {number, text + " and back"};
}

future<> nothing_to_bring(bool& ended) {
  co_await upcxx::barrier_async();
  co_await make_future();
  ended = true;
}

TEST(coroutine, awaits_operations_and_returns_futures) {
  EXPECT_EQ(sum_of_all_ranks().wait(), rank_n() * (rank_n() - 1) / 2);
  const auto [number, text] = two_values().wait();
  EXPECT_EQ(number, next());
  EXPECT_EQ(text, "there and back");
  bool ended = false;
  nothing_to_bring(ended).wait();
  EXPECT_TRUE(ended);
  const auto many = upcxx::when_all(sum_of_all_ranks(), two_values(), sum_of_all_ranks());
  EXPECT_EQ(many.wait<0>(), many.wait<3>());
}

TEST(coroutine, may_be_what_an_rpc_runs) {
  const auto answer = rpc(
      next(),
      [](int from) -> future<int> {
        const int back = co_await rpc(from, [] { return rank_me(); });
        co_return back + 1000;
      },
      rank_me());
  EXPECT_EQ(answer.wait(), rank_me() + 1000);
}

}  // namespace
