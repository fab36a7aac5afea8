// SPDX-License-Identifier: BSD-3-Clause
//
// A program of two halves: this file is compiled as C++17, standards_cxx20.cpp as C++20. Both see
// the same types and functions, pass each other futures and promises, and call each other's
// functions at other ranks. Only the C++20 half uses features of C++20.
#include <tests/spec/upcxx/standards.hpp>

#include <tests/multi/upcxx/job_main.hpp>

#include <functional>
#include <set>

static_assert(__cplusplus == 201703L);

namespace {

using standards::person;
using standards::span_of_time;

// Valid only before C++20, in which a constructor cannot be declared by a template-id (CWG 2237).
// A program with such a class must be compiled as C++17.
template <class T, int N>
struct port {
  port<T, N>() : open(N) {}
  ~port<T, N>() {}
  T open;
};

upcxx::intrank_t next_rank() { return (upcxx::rank_me() + 1) % upcxx::rank_n(); }

TEST(standards, both_halves_lay_objects_out_alike) {
  EXPECT_EQ(standards::layout_in_unit(), standards::layout_in_cxx20());
}

TEST(standards, both_halves_serialize_alike) {
  EXPECT_EQ(standards::traits_in_unit(), standards::traits_in_cxx20());
}

TEST(standards, both_halves_know_functions_by_one_name) {
  EXPECT_EQ(standards::code_in_unit(), standards::code_in_cxx20());
}

TEST(standards, a_constructor_may_be_declared_by_a_template_id) {
  EXPECT_EQ((port<int, 3>().open), 3);
}

TEST(standards, this_half_calls_functions_of_the_other_at_other_ranks) {
  const person player{"three", {1, 2, 3}};
  EXPECT_EQ(upcxx::rpc(next_rank(), standards::total_of, player).wait(), 11);
  const auto [name, count] = standards::ask_for(next_rank(), player).wait();
  EXPECT_EQ(name, "three");
  EXPECT_EQ(count, 3);
}

TEST(standards, views_and_distributed_objects_of_this_half_arrive_in_the_other) {
  const std::vector<span_of_time> spans{{1, 3}, {0, 10}, {5, 6}};
  EXPECT_EQ(upcxx::rpc(next_rank(), standards::sum_of_all, upcxx::make_view(spans)).wait(), 13);
  upcxx::dist_object<std::vector<int>> object(
      std::vector<int>(static_cast<std::size_t>(upcxx::rank_me()), 1));
  EXPECT_EQ(upcxx::rpc(next_rank(), standards::held_by, object).wait(), next_rank());
  upcxx::barrier();
}

TEST(standards, a_coroutine_of_the_other_half_is_a_future_like_any) {
  const upcxx::global_ptr<int> numbers = upcxx::new_array<int>(5);
  for (int i = 0; i < 5; ++i) numbers.local()[i] = i * (upcxx::rank_me() + 1);
  const auto total = upcxx::rpc(
      next_rank(),
      [](upcxx::global_ptr<int> from) {
        return standards::add_up(from, 5).then([](int sum) { return sum + 1; });
      },
      numbers);
  EXPECT_EQ(total.wait(), 10 * (upcxx::rank_me() + 1) + 1);
  upcxx::delete_array(numbers);
}

TEST(standards, the_other_half_fulfils_a_promise_of_this_one) {
  upcxx::promise<int, std::string> promise;
  auto done = upcxx::when_all(promise.get_future(), upcxx::make_future(2.5))
                  .then([](int number, const std::string& text, double more) {
                    return text + ":" + std::to_string(number + static_cast<int>(2 * more));
                  });
  EXPECT_FALSE(done.ready());
  standards::fulfil(promise, 7);
  EXPECT_EQ(done.wait(), "7:12");
}

TEST(standards, completions_reductions_and_atomics_need_no_more_than_cxx17) {
  const upcxx::global_ptr<long> place = upcxx::new_<long>(0);
  const upcxx::global_ptr<long> first = upcxx::broadcast(place, 0).wait();
  upcxx::atomic_domain<long> sums({upcxx::atomic_op::add, upcxx::atomic_op::load});
  sums.add(first, upcxx::rank_me() + 1, std::memory_order_relaxed).wait();
  upcxx::barrier();
  const long total = upcxx::reduce_all(long{upcxx::rank_me()} + 1, upcxx::op_fast_add).wait();
  EXPECT_EQ(sums.load(first, std::memory_order_relaxed).wait(), total);
  sums.destroy();

  upcxx::promise<> done;
  static int arrived = 0;
  upcxx::rput(42L, place,
              upcxx::operation_cx::as_promise(done) |
                  upcxx::remote_cx::as_rpc([](int amount) { arrived += amount; }, 2));
  done.finalize().wait();
  while (arrived == 0) upcxx::progress();
  EXPECT_EQ(arrived, 2);
  arrived = 0;
  EXPECT_EQ(upcxx::rget(place).wait(), 42);
  const std::vector<long> source{5};
  upcxx::rput(source, place).wait();
  EXPECT_EQ(*place.local(), 5);
  upcxx::barrier();
  upcxx::delete_(place);
}

TEST(standards, pointers_and_names_are_ordered) {
  const upcxx::global_ptr<int> block = upcxx::new_array<int>(4);
  EXPECT_TRUE(block < block + 1 && block + 1 > block && block <= block && block >= block);
  EXPECT_TRUE(block != block + 1 && block == upcxx::global_ptr<const int>(block));
  EXPECT_TRUE(std::less<upcxx::global_ptr<int>>()(block, block + 3));
  const std::set<upcxx::team_id> names{upcxx::world().id(), upcxx::local_team().id()};
  EXPECT_EQ(names.count(upcxx::world().id()), 1u);
  upcxx::delete_array(block);
}

TEST(standards, assertions_take_a_message_or_none) {
  UPCXX_ASSERT_ALWAYS(upcxx::rank_n() > 0);
  UPCXX_ASSERT_ALWAYS(upcxx::rank_n() > 0,
                      "there are " << upcxx::rank_n() << std::pair<int, int>(1, 2).first);
}

}  // namespace
