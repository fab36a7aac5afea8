// SPDX-License-Identifier: BSD-3-Clause
//
// Remote procedure calls between all ranks (spec, chapter 9, and as_rpc of chapter 7): functions,
// lambdas, pointers; results, futures as results, large arguments and large results; teams as
// arguments; floods that outrun the receiver.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/dist_object.hpp>
#include <upcxx/persona.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/relocation.hpp>
#include <upcxx/rpc.hpp>
#include <upcxx/rput.hpp>
#include <upcxx/view.hpp>
#include <upcxx/when_all.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace {

using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;
using upcxx::rpc;
using upcxx::rpc_ff;
using upcxx::source_cx;

int next_rank() { return (rank_me() + 1) % rank_n(); }

int twice(int x) { return 2 * x; }
int counter = 0;
void count(int amount) { counter += amount; }

TEST(rpc, calls_functions_and_lambdas_and_brings_results_back) {
  for (int to = 0; to < rank_n(); ++to) {
    EXPECT_EQ(rpc(to, twice, 21).wait(), 42);
    EXPECT_EQ(rpc(to, &twice, 4).wait(), 8);
    EXPECT_EQ(rpc(to, [] { return rank_me(); }).wait(), to);
    const int me = rank_me();
    EXPECT_EQ(
        rpc(
            to, [me](const std::string& s) { return s + std::to_string(me); }, std::string("from "))
            .wait(),
        "from " + std::to_string(me));
    rpc(to, [] {}).wait();
    rpc(upcxx::world(), to, count, 0).wait();
  }
}

TEST(rpc, waits_for_a_future_that_the_function_returns) {
  static upcxx::promise<int, std::string>* gate = nullptr;
  gate = new upcxx::promise<int, std::string>();
  upcxx::barrier();
  auto answer = rpc(
      next_rank(),
      [](const std::vector<int>& kept) {
        return gate->get_future().then(
            [&kept](int v, const std::string& s) { return upcxx::make_future(v + kept.at(1), s); });
      },
      std::vector<int>{1, 2, 3});
  static_assert(std::is_same_v<decltype(answer), upcxx::future<int, std::string>>);
  upcxx::barrier();
  gate->fulfill_result(rank_me(), "text");
  EXPECT_EQ(answer.wait(), std::make_tuple(next_rank() + 2, std::string("text")));
  upcxx::barrier();
  delete gate;
}

TEST(rpc, carries_more_than_a_message_holds) {
  const std::size_t used_bytes = upcxx::shared_segment_used();
  upcxx::barrier();  // no rank has sent anything yet
  std::vector<double> numbers(300000);
  std::iota(numbers.begin(), numbers.end(), 0.5);
  const auto back = rpc(
                        next_rank(),
                        [](std::vector<double>&& v) {
                          for (double& each : v) each *= 2;
                          return std::move(v);
                        },
                        numbers)
                        .wait();
  ASSERT_EQ(back.size(), numbers.size());
  EXPECT_EQ(back.back(), 2 * numbers.back());
  const double sum =
      rpc(
          next_rank(),
          [](upcxx::view<double> v) { return std::accumulate(v.begin(), v.end(), 0.0); },
          upcxx::make_view(numbers.begin(), numbers.end()))
          .wait();
  EXPECT_EQ(sum, std::accumulate(numbers.begin(), numbers.end(), 0.0));
  rpc(next_rank(), [](const std::string& s) { return s.size(); }, std::string(100000, 'x')).wait();
  // The memory of large arguments is freed when their readers have reported that they are done.
  while (upcxx::shared_segment_used() != used_bytes) upcxx::progress();
}

template <std::size_t Alignment>
struct alignas(Alignment) aligned_number {
  std::uint32_t value;
};

template <class Number>
std::uint32_t sum_aligned(upcxx::view<Number> numbers) {
  std::uint32_t sum = 0;
  for (const Number& each : numbers) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&each) % alignof(Number), 0u);
    sum += each.value;
  }
  return sum;
}

template <class Number>
void send_aligned() {
  for (const std::uint32_t count : {1u, 2u, 30u, 1000u}) {
    const std::vector<Number> numbers(count, Number{3});
    for (int to = 0; to < rank_n(); ++to) {
      EXPECT_EQ(
          rpc(to, sum_aligned<Number>, upcxx::make_view(numbers.begin(), numbers.end())).wait(),
          3 * count);
      EXPECT_EQ(rpc(
                    to, [](Number number) { return Number{number.value + 1}; }, numbers.front())
                    .wait()
                    .value,
                4u);
    }
  }
}

TEST(rpc, lays_every_type_out_as_it_is_aligned) {
  send_aligned<aligned_number<16>>();
  send_aligned<aligned_number<32>>();
  send_aligned<aligned_number<64>>();
  send_aligned<aligned_number<256>>();
  upcxx::barrier();
}

TEST(rpc_ff, goes_round_with_large_arguments_in_less_memory_than_they_are) {
  counter = 0;
  upcxx::barrier();
  constexpr int calls = 64;
  constexpr std::size_t bytes = std::size_t{512} << 10;
  if (rank_me() == 0) {  // 32 MiB, where the heap has 8 (CMakeLists.txt)
    const std::vector<char> much(bytes, 'x');
    for (int i = 0; i < calls; ++i) {
      rpc_ff(
          next_rank(),
          [](upcxx::view<char> received) { counter += received.size() == bytes ? 1 : 0; },
          upcxx::make_view(much.begin(), much.end()));
    }
  }
  if (rank_me() == 1 % rank_n()) {
    while (counter != calls) upcxx::progress();
  }
  upcxx::barrier();
}

TEST(rpc_ff, floods_without_a_loss) {
  counter = 0;
  upcxx::barrier();
  constexpr int calls = 5000;
  for (int i = 0; i < calls; ++i) {
    for (int to = 0; to < rank_n(); ++to) rpc_ff(to, count, 1);
    if (i % 64 == 0) upcxx::progress();
  }
  while (counter != calls * rank_n()) upcxx::progress();
  upcxx::barrier();
  EXPECT_EQ(counter, calls * rank_n());
}

TEST(rpc, tells_by_all_kinds_of_completion) {
  upcxx::promise<int> result;
  auto source =
      rpc(next_rank(), source_cx::as_future() | operation_cx::as_promise(result), twice, 3);
  source.wait();
  EXPECT_EQ(result.finalize().wait(), 6);
  int seen = 0;
  rpc(next_rank(), operation_cx::as_lpc(upcxx::current_persona(), [&](int v) { seen = v; }), twice,
      5);
  while (seen == 0) upcxx::progress();
  EXPECT_EQ(seen, 10);
  auto two =
      rpc(next_rank(), operation_cx::as_future() | operation_cx::as_defer_future(), twice, 6);
  EXPECT_EQ(std::get<0>(two).wait() + std::get<1>(two).wait(), 24);
  rpc_ff(next_rank(), source_cx::as_future(), count, 1).wait();
  upcxx::barrier();
}

TEST(rpc, tells_another_persona_also_when_the_caller_has_ended) {
  upcxx::persona other;
  int result = 0;
  std::thread caller([&] {
    rpc(next_rank(), operation_cx::as_lpc(other, [&](int v) { result = v; }), twice, 8);
    upcxx::discharge();
  });
  caller.join();
  upcxx::persona_scope holds(other);
  while (result == 0) upcxx::progress();
  EXPECT_EQ(result, 16);
}

struct no_number {};

TEST(as_promise, of_any_type_counts_an_event_without_values) {
  const auto number = upcxx::new_<int>(1);
  upcxx::promise<no_number> eager;
  rput(2, number, operation_cx::as_eager_promise(eager));
  eager.fulfill_result(no_number());
  eager.get_future().wait_reference();
  upcxx::promise<no_number> deferred;
  rput(3, number, operation_cx::as_defer_promise(deferred));
  deferred.fulfill_result(no_number());
  EXPECT_FALSE(deferred.get_future().ready());
  deferred.get_future().wait_reference();
  EXPECT_EQ(*number.local(), 3);
  upcxx::delete_(number);
}

TEST(rpc, is_never_run_at_once_even_here) {
  int ran = 0;
  auto* const address = &ran;
  auto done = rpc(rank_me(), [address] { ++*address; });
  EXPECT_EQ(ran, 0);
  done.wait();
  EXPECT_EQ(ran, 1);
}

int arrived = 0;

TEST(as_rpc, runs_after_the_data_is_there) {
  arrived = 0;
  upcxx::dist_object<upcxx::global_ptr<int>> places(upcxx::new_array<int>(1000));
  const auto remote = places.fetch(next_rank()).wait();
  const std::vector<int> values(1000, 5);
  upcxx::barrier();
  rput(values.data(), remote, values.size(),
       upcxx::remote_cx::as_rpc(
           [](upcxx::dist_object<upcxx::global_ptr<int>>& array, int from) {
             const int* const local = array->local();
             EXPECT_EQ(from, (rank_me() + rank_n() - 1) % rank_n());
             EXPECT_EQ(std::accumulate(local, local + 1000, 0), 5000);
             ++arrived;
           },
           places, rank_me()));
  while (arrived == 0) upcxx::progress();
  upcxx::barrier();
  upcxx::delete_array(*places);
}

struct uncopied {
  int number = 0;
  uncopied() = default;
  uncopied(uncopied&&) = default;  // arguments that arrive must be movable
  uncopied(const uncopied&) = delete;
  UPCXX_SERIALIZED_FIELDS(number)
  void operator()() { arrived = number; }
};

TEST(as_rpc, takes_a_function_object_that_cannot_be_copied_where_it_lies) {
  arrived = 0;
  const auto number = upcxx::new_<const int>(1);
  EXPECT_EQ(*number.local(), 1);
  upcxx::delete_(number);
  const auto target = upcxx::new_<int>(1);
  uncopied call;
  call.number = 17;
  rput(2, target, upcxx::remote_cx::as_rpc(call));
  call.number = 0;
  while (arrived != 17) upcxx::progress();
  upcxx::delete_(target);
}

/// Counts how often objects of this type are made, copied and moved.
struct counted {
  static inline int made = 0;
  static inline int copied = 0;
  static inline int moved = 0;
  static void reset() { made = copied = moved = 0; }

  counted() { ++made; }
  explicit counted(int) { ++made; }
  counted(const counted&) { ++copied; }
  counted(counted&&) noexcept { ++moved; }
  UPCXX_SERIALIZED_VALUES(1)

  int number = 0;
};
struct counted_call {
  counted payload;
  UPCXX_SERIALIZED_FIELDS(payload)
  void operator()() { ++arrived; }
};

#define EXPECT_COUNTS(copies, moves)  \
  EXPECT_EQ(counted::copied, copies); \
  EXPECT_EQ(counted::moved, moves);   \
  counted::reset();

TEST(rpc, copies_and_moves_nothing_that_it_sends_and_brings_back) {
  const int self = rank_me();
  counted::reset();
  const counted kept;
  static_cast<void>(rpc(self, [](const counted&) {}, kept).wait());
  EXPECT_COUNTS(0, 0);
  rpc(self, [] { return counted(); }).wait_reference();
  EXPECT_COUNTS(0, 0);
  rpc(self, [](counted&& c) { return std::move(c); }, kept).wait_reference();
  EXPECT_COUNTS(0, 1);  // the function's own move
}

TEST(lpc, hands_its_result_over_where_it_lies) {
  counted::reset();
  upcxx::current_persona().lpc([] { return counted(); }).wait_reference();
  EXPECT_COUNTS(0, 1);  // into the future
  std::vector<int> given =
      upcxx::current_persona().lpc([] { return std::vector<int>(1000, 3); }).wait();
  EXPECT_EQ(given.size(), 1000u);
}

TEST(as_rpc, keeps_lvalues_by_reference_and_copies_no_list_that_it_is_given) {
  const auto target = upcxx::new_<int>(1);
  arrived = 0;
  counted_call call;
  counted::reset();
  const auto kept = upcxx::remote_cx::as_rpc(call) | upcxx::operation_cx::as_future();
  rput(2, target, kept).wait();
  rput(2, target, upcxx::remote_cx::as_rpc(call));
  while (arrived != 2) upcxx::progress();
  EXPECT_COUNTS(0, 0);
  rput(2, target, upcxx::remote_cx::as_rpc([](const counted&) { ++arrived; }, counted()));
  while (arrived != 3) upcxx::progress();
  EXPECT_EQ(counted::copied, 0);
  upcxx::delete_(target);
}

TEST(rpc, keeps_the_const_of_what_is_returned_by_value) {
  auto fixed = rpc(next_rank(), []() -> const std::string { return "fixed"; });
  static_assert(std::is_same_v<decltype(fixed), upcxx::future<const std::string>>);
  EXPECT_EQ(fixed.wait(), "fixed");
  auto seen = rpc(next_rank(), []() -> const int& { return arrived; });
  static_assert(std::is_same_v<decltype(seen), upcxx::future<int>>);
  seen.wait();
}

TEST(relocation, refuses_functions_of_libraries_only_when_asked_to_and_not_those_of_the_start) {
  namespace relo = upcxx::experimental::relo;
  EXPECT_FALSE(relo::enforce_verification(true));
  EXPECT_TRUE(relo::verification_enforced());
  relo::verify_all();
  relo::verify_segment(&std::labs);
  EXPECT_EQ(rpc(next_rank(), &std::labs, -3L).wait(), 3);
  std::ostringstream table;
  relo::debug_write_ptr(&std::labs, table);
  EXPECT_NE(table.str().find("-> "), std::string::npos);
  EXPECT_TRUE(relo::enforce_verification(false));
}

TEST(team, is_an_argument_by_name_and_awaited_where_it_is_not_made_yet) {
  upcxx::team pair = upcxx::world().split(0, -rank_me());
  EXPECT_EQ(rpc(
                next_rank(), [](upcxx::team& t) { return t.rank_me(); }, pair)
                .wait(),
            pair.from_world(next_rank()));
  pair.destroy();
}

TEST(dist_object, has_a_value_per_rank_that_others_fetch) {
  upcxx::dist_object<std::string> names("rank " + std::to_string(rank_me()));
  for (int to = 0; to < rank_n(); ++to) {
    EXPECT_EQ(names.fetch(to).wait(), "rank " + std::to_string(to));
  }
  EXPECT_EQ(&names.id().here(), &names);
  EXPECT_EQ(names->substr(0, 4), "rank");
  EXPECT_EQ(&names.team(), &upcxx::world());
  upcxx::barrier();
  upcxx::dist_object<int> second(upcxx::world(), rank_me());
  // A rank may make its object late: calls wait for it.
  EXPECT_EQ(
      rpc(
          next_rank(), [](upcxx::dist_object<int>& d, int add) { return *d + add; }, second, 1)
          .wait(),
      next_rank() + 1);
  upcxx::barrier();
  upcxx::dist_object<int> moved(std::move(second));
  EXPECT_EQ(&moved.id().here(), &moved);
  upcxx::barrier();
}

struct without_default {
  explicit without_default(int number) : n(number) {}
  int n;
};

// Made before init(), and ended after finalize().
upcxx::dist_object<without_default> early;
upcxx::dist_object<without_default> early_with_value(upcxx::inactive, 5);
upcxx::team early_team;

TEST(dist_object, may_be_made_inactive_and_activated_later) {
  EXPECT_FALSE(early.is_active() || early.has_value());
  EXPECT_FALSE(early_with_value.is_active());
  EXPECT_EQ(early_with_value->n, 5);
  upcxx::dist_object<without_default> object;
  object.emplace(rank_me());
  EXPECT_FALSE(object.is_active());
  object.activate(upcxx::world());
  EXPECT_TRUE(object.is_active());
  upcxx::dist_object<without_default> moved;
  moved = std::move(object);
  EXPECT_FALSE(object.is_active());
  EXPECT_TRUE(object.has_value());
  const auto number_of = [](upcxx::dist_object<without_default>& part) { return part->n; };
  EXPECT_EQ(rpc(next_rank(), number_of, moved).wait(), next_rank());
  upcxx::barrier();
  moved = std::move(*&moved);  // to itself: nothing
  EXPECT_TRUE(moved.is_active());
  upcxx::barrier();
}

TEST(dist_object, takes_braces_as_a_value_is_taken) {
  struct holder {
    upcxx::dist_object<int> number;
  };
  const holder held{7};
  EXPECT_EQ(*held.number, 7);
  upcxx::dist_object<std::vector<int>> empty({});
  EXPECT_TRUE(empty.is_active() && empty->empty());
  upcxx::dist_object<std::vector<int>> doubly{{}};
  EXPECT_TRUE(doubly.is_active() && doubly->empty());
  upcxx::dist_object<std::vector<int>> inactive{};
  EXPECT_FALSE(inactive.is_active() || inactive.has_value());
  upcxx::barrier();
}

TEST(dist_object, is_told_of_at_user_level_progress) {
  upcxx::dist_object<int> object(rank_me());
  bool notified = false;
  object.id().when_here().then([&](upcxx::dist_object<int>& found) {
    EXPECT_EQ(&found, &object);
    EXPECT_TRUE(upcxx::in_progress());
    notified = true;
  });
  EXPECT_FALSE(notified);
  EXPECT_EQ(&object.id().here(), &object);
  while (!notified) upcxx::progress();
  EXPECT_TRUE(object.id().when_here().ready());
  upcxx::barrier();
}

TEST(team, may_be_made_inactive_and_moved_into) {
  EXPECT_FALSE(early_team.is_active());
  early_team.destroy();  // nothing to end
  std::vector<int> members(static_cast<std::size_t>(rank_n()));
  std::iota(members.begin(), members.end(), 0);
  upcxx::team made = upcxx::world().create(members.begin(), members.end(), members.size());
  upcxx::team target;
  target = std::move(made);
  EXPECT_TRUE(target.is_active() && !made.is_active());
  EXPECT_EQ(&target.id().here(), &target);
  EXPECT_EQ(target.rank_me(), rank_me());
  target.destroy();
  EXPECT_FALSE(target.is_active());
}

TEST(local_team, has_a_position_among_all) {
  const auto [position, count] = upcxx::local_team_position();
  EXPECT_TRUE(position >= 0 && position < count);
  for (int each = 0; each < rank_n(); ++each) {
    const int remote_position = rpc(each, [] { return upcxx::local_team_position().first; }).wait();
    EXPECT_EQ(remote_position == position, upcxx::local_team_contains(each));
    EXPECT_LT(remote_position, count);
  }
}

}  // namespace
