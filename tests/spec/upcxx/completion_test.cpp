// SPDX-License-Identifier: BSD-3-Clause
//
// Tests chapters 7 and 8: completions of put and get in each combination, eager and deferred;
// values, arrays and spans between all ranks.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/upcxx.hpp>

#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>
#include <version>

#if defined(__cpp_lib_span)
#include <span>
#endif

namespace {

struct declared_bytes {
  std::int64_t number = 0;
  declared_bytes() = default;
  explicit declared_bytes(std::int64_t n) : number(n) {}
  declared_bytes(const declared_bytes& other) : number(other.number) {}
  ~declared_bytes() {}
};

}  // namespace

template <>
struct upcxx::is_trivially_serializable<declared_bytes> : std::true_type {};

namespace {

using upcxx::future;
using upcxx::global_ptr;
using upcxx::operation_cx;
using upcxx::promise;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::remote_cx;
using upcxx::rget;
using upcxx::rput;
using upcxx::source_cx;

using of_put = global_ptr<int>;

template <class Cx>
using put_result = decltype(rput(static_cast<const int*>(nullptr), of_put(), 1, Cx()));
template <class Cx>
using get_result = decltype(rget(of_put(), Cx()));
template <class... Cx>
using joined = decltype((std::declval<Cx>() | ...));
using op_future = decltype(operation_cx::as_future());
using op_defer = decltype(operation_cx::as_defer_future());
using src_future = decltype(source_cx::as_future());
using src_buffered = decltype(source_cx::as_buffered());
using src_blocking = decltype(source_cx::as_blocking());

static_assert(std::is_same_v<put_result<op_future>, future<>>);
static_assert(std::is_same_v<put_result<joined<src_buffered, op_future>>, future<>>);
static_assert(std::is_same_v<put_result<joined<src_future, op_future, op_defer>>,
                             std::tuple<future<>, future<>, future<>>>);
static_assert(std::is_same_v<get_result<op_future>, future<int>>);
static_assert(
    std::is_same_v<get_result<joined<op_future, op_defer>>, std::tuple<future<int>, future<int>>>);
static_assert(std::is_copy_constructible_v<joined<src_blocking, op_future>> &&
              std::is_copy_assignable_v<op_future>);

struct everywhere : testing::Test {
  static constexpr int room = 64;
  void SetUp() override {
    own_array = upcxx::new_array<int>(room);
    std::fill_n(own_array.local(), room, -1);
    upcxx::dist_object<global_ptr<int>> directory(own_array);
    for (int rank = 0; rank < rank_n(); ++rank) places.push_back(directory.fetch(rank).wait());
    upcxx::barrier();
  }
  void TearDown() override {
    upcxx::barrier();
    upcxx::delete_array(own_array);
  }
  global_ptr<int> next() const {
    return places[static_cast<std::size_t>((rank_me() + 1) % rank_n())];
  }
  int previous_rank() const { return (rank_me() + rank_n() - 1) % rank_n(); }

  global_ptr<int> own_array;
  std::vector<global_ptr<int>> places;
};

using completion = everywhere;
using rma = everywhere;

TEST_F(completion, is_told_by_futures_in_the_order_of_the_list) {
  const std::array<int, 3> values{1, 2, 3};
  auto [source, operation, again] =
      rput(values.data(), next(), values.size(),
           source_cx::as_future() | operation_cx::as_future() | operation_cx::as_future());
  upcxx::when_all(source, operation, again).wait();
  auto [eager, deferred] =
      rget(next(), operation_cx::as_future() | operation_cx::as_defer_future());
  EXPECT_FALSE(deferred.ready());
  EXPECT_EQ(eager.wait(), 1);
  EXPECT_EQ(deferred.wait(), 1);
}

TEST_F(completion, defers_what_is_asked_to_be_deferred_and_nothing_else) {
  const int value = 5;
  const bool direct = next().is_local() && rput(7, next()).ready();
  const auto eager = rput(&value, next(), 1, operation_cx::as_eager_future());
  const auto defer = rput(&value, next(), 1, operation_cx::as_defer_future());
  const auto nothing = rput(&value, next(), 0, operation_cx::as_defer_future());
  EXPECT_EQ(eager.ready(), direct);
  EXPECT_FALSE(defer.ready());
  EXPECT_FALSE(nothing.ready());
  upcxx::when_all(eager, defer, nothing).wait();

  promise<> counted;
  rput(&value, next(), 1, operation_cx::as_defer_promise(counted));
  const auto done = counted.finalize();
  EXPECT_FALSE(done.ready());
  done.wait();
  promise<int> brought;
  rget(next(), operation_cx::as_eager_promise(brought));
  EXPECT_EQ(brought.finalize().wait(), 5);
  auto [source] = std::tuple(rput(
      &value, next(), 1, source_cx::as_defer_future() | operation_cx::as_promise(promise<>())));
  EXPECT_FALSE(source.ready());
  source.wait();
  upcxx::barrier();
}

TEST_F(completion, counts_on_promises_of_any_type_where_no_value_is_brought) {
  promise<std::string> other(2);
  other.fulfill_result("text");
  const int value = 4;
  rput(value, next(), operation_cx::as_promise(other));
  rput(&value, next(), 1, operation_cx::as_promise(other) | source_cx::as_promise(other));
  EXPECT_EQ(other.finalize().wait(), "text");
  promise<std::string, int> with_a_get(2);
  with_a_get.fulfill_result("text", 1);
  int copy = 0;
  rget(next(), &copy, 1, operation_cx::as_promise(with_a_get));
  EXPECT_EQ(with_a_get.finalize().wait<0>(), "text");
  EXPECT_EQ(copy, value);
}

TEST_F(completion, calls_the_persona_that_is_named) {
  int calls = 0;
  int seen = 0;
  const int value = 11;
  upcxx::persona& me = upcxx::current_persona();
  rput(&value, next(), 1,
       operation_cx::as_lpc(me, [&] { ++calls; }) | source_cx::as_lpc(me, [&] { ++calls; }));
  EXPECT_EQ(calls, 0);  // never at once
  while (calls < 2) upcxx::progress();
  rget(next(), operation_cx::as_lpc(me, [&](int&& v) { seen = v; }) |
                   operation_cx::as_lpc(me, [&](const int& v) { calls += v; }));
  while (seen == 0 || calls == 2) upcxx::progress();
  EXPECT_EQ(seen + calls, 24);
  upcxx::barrier();
}

int arrived = 0;
std::string notified;

TEST_F(completion, calls_the_target_when_the_data_is_there) {
  arrived = 0;
  notified.clear();
  upcxx::barrier();
  const int value = 100 + rank_me();
  const auto note = [](global_ptr<int> target, const std::string& text, int from) {
    EXPECT_EQ(*target.local(), 100 + from);
    notified = text;
    ++arrived;
  };
  const std::string lvalue = "kept by the caller";
  const auto completions =
      remote_cx::as_rpc(note, next(), lvalue, rank_me()) | operation_cx::as_future();
  rput(&value, next(), 1, completions).wait();
  rput(value, next(), completions).wait();  // the same object once more
  rput(&value, next(), 1,
       source_cx::as_blocking() |
           remote_cx::as_rpc(note, next(), std::string("moved in"), rank_me()));
  while (arrived < 3) upcxx::progress();
  EXPECT_FALSE(notified.empty());
  upcxx::barrier();
}

TEST_F(completion, keeps_what_a_call_was_given_until_its_future_is_ready) {
  static int sum = 0;
  static promise<>* gate = nullptr;
  sum = 0;
  promise<> mine_opens;
  gate = &mine_opens;
  upcxx::barrier();
  const std::vector<int> numbers{1, 2, 3, 4};
  rput(1, next(),
       remote_cx::as_rpc(
           [](upcxx::view<int> seen) {
             return gate->get_future().then(
                 [seen] { sum = std::accumulate(seen.begin(), seen.end(), 0); });
           },
           upcxx::make_view(numbers)) |
           operation_cx::as_future())
      .wait();
  upcxx::barrier();  // the call may have arrived, but it has not read the numbers
  upcxx::progress();
  EXPECT_EQ(sum, 0);
  static_cast<void>(mine_opens.finalize());
  while (sum == 0) upcxx::progress();
  EXPECT_EQ(sum, 10);
  upcxx::barrier();
}

TEST_F(completion, belongs_to_the_thread_that_asked) {
  std::thread([&] {
    int seen = 0;
    bool is_told = false;
    rput(8, next() + 1).wait();
    rput(9, next(), operation_cx::as_lpc(upcxx::current_persona(), [&] { is_told = true; }));
    while (!is_told) upcxx::progress();
    rget(next() + 1, &seen, 1).wait();
    EXPECT_EQ(seen, 8);
  }).join();
  upcxx::barrier();
  EXPECT_EQ(own_array.local()[0], 9);
}

TEST_F(rma, moves_values_of_all_ranks) {
  for (const auto& target : places) rput(rank_me() * 7, target + rank_me()).wait();
  upcxx::barrier();
  for (int rank = 0; rank < rank_n(); ++rank) {
    EXPECT_EQ(own_array.local()[rank], rank * 7);
    EXPECT_EQ(rget(places[static_cast<std::size_t>(rank)] + rank_me()).wait(), rank_me() * 7);
  }
}

TEST_F(rma, moves_arrays_from_const_and_private_memory) {
  constexpr std::array<int, 4> constant{4, 3, 2, 1};
  rput(constant.data(), next() + 2, constant.size()).wait();
  std::array<int, 4> back{};
  rget(next() + 2, back.data(), back.size()).wait();
  EXPECT_EQ(back, constant);
  rget(global_ptr<const int>(next()) + 2, back.data(), 0).wait();
  rput(constant.data(), next(), 0).wait();
  upcxx::barrier();
  EXPECT_EQ(own_array.local()[0], -1);
  EXPECT_EQ(own_array.local()[5], 1);
}

#if defined(__cpp_lib_span)
template <class T>
using range_of = std::span<T>;
#else
template <class T>
using range_of = atl::slice<T>;
#endif

TEST_F(rma, takes_contiguous_ranges) {
  std::vector<int> numbers(10);
  std::iota(numbers.begin(), numbers.end(), rank_me());
  rput(range_of<const int>(numbers), next()).wait();
  rput(numbers, next() + 10, operation_cx::as_future() | source_cx::as_buffered()).wait();
  rput(range_of<int>(), next()).wait();
  std::array<int, 20> back{};
  rget(next(), back).wait();
  EXPECT_EQ(back[9], rank_me() + 9);
  EXPECT_EQ(back[19], rank_me() + 9);
  promise<> done;
  std::vector<int> part(3);
  rget(next() + 7, part, operation_cx::as_promise(done));
  done.finalize().wait();
  EXPECT_EQ(part, (std::vector<int>{rank_me() + 7, rank_me() + 8, rank_me() + 9}));
  rget(next(), range_of<int>()).wait();
  upcxx::barrier();
  EXPECT_EQ(own_array.local()[0], previous_rank());
}

TEST_F(rma, moves_what_is_said_to_be_bytes) {
  const auto own = upcxx::new_array<declared_bytes>(2);
  upcxx::dist_object<global_ptr<declared_bytes>> directory(own);
  const auto target = directory.fetch((rank_me() + 1) % rank_n()).wait();
  rput(declared_bytes(rank_me()), target).wait();
  const std::array<declared_bytes, 1> source{declared_bytes(5)};
  rput(source.data(), target + 1, 1).wait();
  EXPECT_EQ(rget(target).wait().number, rank_me());
  upcxx::barrier();
  EXPECT_EQ(own.local()[0].number, previous_rank());
  EXPECT_EQ(own.local()[1].number, 5);
  upcxx::barrier();
  upcxx::delete_array(own);
}

}  // namespace
