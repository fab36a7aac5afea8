// SPDX-License-Identifier: BSD-3-Clause
//
// Tests collectives and atomics (spec, chapters 12 and 13): every form over whole and partial
// teams, every operation, every kind of completion; collectives of values that need serialization.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/atomic.hpp>
#include <upcxx/barrier.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/nontrivial.hpp>
#include <upcxx/progress.hpp>
#include <upcxx/reduce.hpp>
#include <upcxx/when_all.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using upcxx::atomic_op;
using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;

constexpr auto relaxed = std::memory_order_relaxed;

int add(int a, int b) { return a + b; }

TEST(collectives, tell_by_all_kinds_of_completion) {
  const int n = rank_n();
  upcxx::promise<int> value;
  upcxx::promise<> done;
  int lpcs = 0;
  int sum = 0;
  auto two = upcxx::reduce_all(rank_me(), upcxx::op_fast_add, upcxx::world(),
                               operation_cx::as_future() | operation_cx::as_promise(value) |
                                   operation_cx::as_defer_future() |
                                   operation_cx::as_lpc(upcxx::current_persona(), [&](int s) {
                                     sum = s;
                                     ++lpcs;
                                   }));
  static_assert(std::is_same_v<decltype(two), std::tuple<upcxx::future<int>, upcxx::future<int>>>);
  std::vector<int> numbers(40, rank_me());
  upcxx::broadcast(numbers.data(), numbers.size(), n - 1, upcxx::world(),
                   operation_cx::as_promise(done));
  upcxx::barrier_async(upcxx::world(),
                       operation_cx::as_lpc(upcxx::current_persona(), [&] { ++lpcs; }));
  EXPECT_EQ(std::get<0>(two).wait(), n * (n - 1) / 2);
  EXPECT_EQ(std::get<1>(two).wait() + value.finalize().wait(), n * (n - 1));
  done.finalize().wait();
  while (lpcs != 2) upcxx::progress();
  EXPECT_EQ(sum, n * (n - 1) / 2);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), n - 1), 40);
  auto started = upcxx::barrier_async();
  started.wait();
}

TEST(collectives, act_on_the_members_of_a_team) {
  upcxx::team part = upcxx::world().split(rank_me() % 2, -rank_me());
  const int n = part.rank_n();
  for (int root = 0; root < n; ++root) {
    EXPECT_EQ(upcxx::broadcast(rank_me(), root, part).wait(), part[root]);
    const int most = upcxx::reduce_one(rank_me(), upcxx::op_fast_max, root, part).wait();
    if (part.rank_me() == root) {
      EXPECT_EQ(most, part[0]);
    }
  }
  EXPECT_EQ(upcxx::reduce_all(1, add, part).wait(), n);
  EXPECT_EQ(upcxx::reduce_all(1, &add, part).wait(), n);
  std::vector<short> from(1000, static_cast<short>(part.rank_me()));
  std::vector<short> to(1000);
  upcxx::reduce_all(from.data(), to.data(), to.size(), upcxx::op_fast_min, part).wait();
  EXPECT_EQ(std::count(to.begin(), to.end(), 0), 1000);
  upcxx::reduce_all(from.data(), to.data(), 0, upcxx::op_fast_min, part).wait();
  upcxx::barrier(part);
  part.destroy();
}

TEST(reduce, has_the_operations_of_the_specification) {
  const int n = rank_n();
  const int me = rank_me();
  EXPECT_EQ(upcxx::reduce_all(me % 2 + 1, upcxx::op_fast_mul).wait(), 1 << (n / 2));
  EXPECT_EQ(upcxx::reduce_all(0.5 * me, upcxx::op_fast_add).wait(), n * (n - 1) / 4.0);
  EXPECT_EQ(upcxx::reduce_all(1.5F + static_cast<float>(me), upcxx::op_fast_min).wait(), 1.5F);
  EXPECT_EQ(upcxx::reduce_all(std::uint64_t{0xff00} | 1u << me, upcxx::op_fast_bit_and).wait(),
            n == 1 ? 0xff01u : 0xff00u);
  EXPECT_EQ(upcxx::reduce_all(std::int8_t{1}, upcxx::op_fast_bit_xor).wait(), n % 2);
  EXPECT_EQ(upcxx::reduce_all(me == 0, upcxx::op_fast_add).wait(), true);
  EXPECT_EQ(upcxx::reduce_all(me == 0, upcxx::op_fast_max).wait(), true);
  EXPECT_EQ(upcxx::reduce_all(me == 0, upcxx::op_fast_min).wait(), n == 1);
  EXPECT_EQ(upcxx::reduce_all(me == 0, upcxx::op_fast_bit_or).wait(), true);
  static_assert(upcxx::op_fast_add(true, true) && !upcxx::op_fast_mul(true, false));
  static_assert(std::is_same_v<decltype(upcxx::op_fast_add(short{1}, short{2})), short>);
}

// An extension: the types have the names of the reference implementation.
template <class Operation>
using type_of = std::remove_const_t<Operation>;
namespace named = upcxx::detail;
template <class Function, bool Fast>
using wrapped = named::op_wrap<Function, Fast>;
static_assert(
    std::is_same_v<type_of<decltype(upcxx::op_fast_add)>, wrapped<named::opfn_add, true>>);
static_assert(
    std::is_same_v<type_of<decltype(upcxx::op_fast_mul)>, wrapped<named::opfn_mul, true>>);
static_assert(std::is_same_v<type_of<decltype(upcxx::op_fast_min)>,
                             wrapped<named::opfn_min_not_max<true>, true>>);
static_assert(std::is_same_v<type_of<decltype(upcxx::op_fast_max)>,
                             wrapped<named::opfn_min_not_max<false>, true>>);
static_assert(
    std::is_same_v<type_of<decltype(upcxx::op_fast_bit_and)>, wrapped<named::opfn_bit_and, true>>);
static_assert(
    std::is_same_v<type_of<decltype(upcxx::op_fast_bit_or)>, wrapped<named::opfn_bit_or, true>>);
static_assert(
    std::is_same_v<type_of<decltype(upcxx::op_fast_bit_xor)>, wrapped<named::opfn_bit_xor, true>>);
static_assert(std::is_same_v<type_of<decltype(upcxx::op_add)>, wrapped<named::opfn_add, false>>);
static_assert(std::is_invocable_v<decltype(upcxx::op_fast_add), double, double>);
static_assert(!std::is_invocable_v<decltype(upcxx::op_fast_bit_or), double, double>);
static_assert(!std::is_invocable_v<decltype(upcxx::op_fast_add), std::string, std::string>);

// A sum whose only operation is to add another.
struct tally {
  int sum = 0;
  int most = 0;
  tally& operator+=(const tally& other) {
    sum += other.sum;
    most = std::max(most, other.most);
    return *this;
  }
};

TEST(reduce, adds_what_can_be_added_to) {
  const int n = rank_n();
  const tally total = upcxx::reduce_all(tally{1, rank_me()}, upcxx::op_add).wait();
  EXPECT_EQ(total.sum, n);
  EXPECT_EQ(total.most, n - 1);
  EXPECT_EQ(upcxx::reduce_all(short{2}, upcxx::op_add).wait(), 2 * n);
  EXPECT_EQ(upcxx::reduce_all(rank_me() == 0, upcxx::op_add).wait(), true);
  EXPECT_EQ(upcxx::reduce_all(0.5 * rank_me(), upcxx::op_min).wait(), 0.0);
}

TEST(nontrivial, values_are_broadcast_from_any_member) {
  for (int root = 0; root < rank_n(); ++root) {
    const std::string own = "from " + std::to_string(rank_me()) + std::string(3000, '.');
    const auto got = upcxx::broadcast_nontrivial(own, root).wait();
    EXPECT_EQ(got, "from " + std::to_string(root) + std::string(3000, '.'));
  }
  EXPECT_EQ(upcxx::experimental::broadcast_nontrivial(rank_me() + 0.5, 0).wait(), 0.5);
  upcxx::team part = upcxx::world().split(rank_me() % 2, -rank_me());
  std::map<int, std::string> table{{part.rank_me(), "x"}};
  upcxx::promise<std::map<int, std::string>> notified;
  upcxx::broadcast_nontrivial(table, part.rank_n() - 1, part, operation_cx::as_promise(notified));
  EXPECT_EQ(notified.finalize().wait().begin()->first, part.rank_n() - 1);
  part.destroy();
}

TEST(nontrivial, values_are_reduced_to_one_and_to_all) {
  const int n = rank_n();
  const auto join = [](std::set<int> a, const std::set<int>& b) {
    a.insert(b.begin(), b.end());
    return a;
  };
  const auto make_set = [] { return std::set<int>{rank_me(), 100 + rank_me()}; };
  for (int root = 0; root < n; ++root) {
    const auto result = upcxx::reduce_one_nontrivial(make_set(), join, root).wait();
    if (rank_me() == root) {
      EXPECT_EQ(result.size(), 2u * static_cast<unsigned>(n));
    }
  }
  EXPECT_EQ(upcxx::reduce_all_nontrivial(make_set(), join).wait().size(),
            2u * static_cast<unsigned>(n));
  EXPECT_EQ(
      upcxx::reduce_all_nontrivial(std::string("ab"), upcxx::experimental::op_add).wait().size(),
      2u * static_cast<unsigned>(n));
  EXPECT_EQ(upcxx::reduce_all_nontrivial(std::to_string(rank_me()), upcxx::op_max).wait(),
            std::to_string(n - 1));
  EXPECT_EQ(upcxx::reduce_one_nontrivial(2, upcxx::op_add, 0).wait() * (rank_me() == 0),
            2 * n * (rank_me() == 0));
}

TEST(nontrivial, collectives_run_many_at_once_and_out_of_step) {
  std::vector<upcxx::future<std::string>> results;
  for (int i = 0; i < 30; ++i) {
    const std::string own = std::to_string(i * 10 + rank_me());
    if (i % 3 == rank_me() % 3) upcxx::progress();
    results.push_back(i % 2 == 0 ? upcxx::broadcast_nontrivial(own, i % rank_n())
                                 : upcxx::reduce_all_nontrivial(own, upcxx::op_max));
  }
  for (int i = 29; i >= 0; --i) {
    const int from = i % 2 == 0 ? i % rank_n() : rank_n() - 1;
    EXPECT_EQ(results[static_cast<std::size_t>(i)].wait(), std::to_string(i * 10 + from));
  }
}

/// Compares all operations of a type with their expected results, by rank 0; the target is on each
/// rank in turn.
template <class T>
void check_all_operations(bool bits) {
  std::vector<atomic_op> ops{
      atomic_op::load,      atomic_op::store, atomic_op::compare_exchange, atomic_op::add,
      atomic_op::fetch_add, atomic_op::sub,   atomic_op::fetch_sub,        atomic_op::mul,
      atomic_op::fetch_mul, atomic_op::min,   atomic_op::fetch_min,        atomic_op::max,
      atomic_op::fetch_max, atomic_op::inc,   atomic_op::fetch_inc,        atomic_op::dec,
      atomic_op::fetch_dec};
  if (bits) {
    ops.insert(ops.end(), {atomic_op::bit_and, atomic_op::fetch_bit_and, atomic_op::bit_or,
                           atomic_op::fetch_bit_or, atomic_op::bit_xor, atomic_op::fetch_bit_xor});
  }
  upcxx::atomic_domain<T> domain;
  EXPECT_FALSE(domain.is_active());
  domain = upcxx::atomic_domain<T>(ops);
  const auto own = upcxx::new_<T>(T{0});
  for (int owner = 0; owner < rank_n(); ++owner) {
    const auto p = upcxx::broadcast(own, owner).wait();
    const upcxx::global_ptr<const T> readable = p;
    if (rank_me() == (owner + 1) % rank_n()) {
      T old_value{};
      domain.store(p, T{10}, std::memory_order_release).wait();
      EXPECT_EQ(domain.load(readable, std::memory_order_acquire).wait(), T{10});
      domain.add(p, T{5}, std::memory_order_acq_rel).wait();
      EXPECT_EQ(domain.fetch_add(p, T{1}, relaxed).wait(), T{15});
      domain.sub(p, T{6}, relaxed).wait();
      EXPECT_EQ(domain.fetch_sub(p, T{1}, relaxed).wait(), T{10});
      domain.mul(p, T{2}, relaxed).wait();
      EXPECT_EQ(domain.fetch_mul(p, T{2}, relaxed).wait(), T{18});
      domain.min(p, T{30}, relaxed).wait();
      EXPECT_EQ(domain.fetch_min(p, T{40}, relaxed).wait(), T{30});
      domain.max(p, T{35}, relaxed).wait();
      domain.fetch_max(p, T{7}, &old_value, relaxed).wait();
      EXPECT_EQ(old_value, T{35});
      domain.inc(p, relaxed).wait();
      EXPECT_EQ(domain.fetch_inc(p, relaxed).wait(), T{36});
      domain.dec(p, relaxed).wait();
      domain.fetch_dec(p, &old_value, relaxed).wait();
      EXPECT_EQ(old_value, T{36});
      EXPECT_EQ(domain.compare_exchange(p, T{35}, T{12}, relaxed).wait(), T{35});
      upcxx::promise<> stored;
      domain.compare_exchange(p, T{35}, T{1}, &old_value, relaxed,
                              operation_cx::as_promise(stored));
      stored.finalize().wait();
      EXPECT_EQ(old_value, T{12});
      upcxx::promise<T> brought;
      domain.fetch_add(p, T{1}, relaxed, operation_cx::as_promise(brought));
      EXPECT_EQ(brought.finalize().wait(), T{12});
      if constexpr (std::is_integral_v<T>) {
        if (bits) {
          domain.bit_or(p, T{0x70}, relaxed).wait();
          EXPECT_EQ(domain.fetch_bit_and(p, T{0x3c}, relaxed).wait(), T{0x7d});
          domain.bit_xor(p, T{0x0f}, relaxed).wait();
          EXPECT_EQ(domain.fetch_bit_xor(p, T{0x33}, relaxed).wait(), T{0x33});
          domain.bit_and(p, T{1}, relaxed).wait();
          EXPECT_EQ(domain.fetch_bit_or(p, T{2}, relaxed).wait(), T{0});
        }
      }
    }
    upcxx::barrier();
  }
  domain.destroy(upcxx::entry_barrier::internal);
  EXPECT_FALSE(domain.is_active());
  upcxx::delete_(own);
}

TEST(atomic_domain, does_every_operation_on_every_type) {
  check_all_operations<std::int32_t>(true);
  check_all_operations<std::uint32_t>(true);
  check_all_operations<std::int64_t>(true);
  check_all_operations<std::uint64_t>(true);
  check_all_operations<float>(false);
  check_all_operations<double>(false);
  static_assert(std::is_default_constructible_v<upcxx::atomic_domain<int>>);
  static_assert(!std::is_copy_constructible_v<upcxx::atomic_domain<int>>);
  static_assert(std::is_nothrow_move_constructible_v<upcxx::atomic_domain<int>>);
}

TEST(atomic_domain, counts_over_a_team) {
  upcxx::team part = upcxx::world().split(rank_me() % 2, 0);
  upcxx::atomic_domain<long> domain({atomic_op::fetch_add, atomic_op::load}, part);
  const auto own = upcxx::new_<long>(0L);
  const auto shared = upcxx::broadcast(own, part.rank_n() - 1, part).wait();
  upcxx::future<> done = upcxx::make_future();
  for (int i = 0; i < 200; ++i) {
    done = upcxx::when_all(done, domain.fetch_add(shared, 1, relaxed).then([](long) {}));
  }
  done.wait();
  upcxx::barrier(part);
  EXPECT_EQ(domain.load(shared, relaxed).wait(), 200L * part.rank_n());
  domain.destroy();
  part.destroy();
  upcxx::delete_(own);
}

}  // namespace
