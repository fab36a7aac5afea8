// SPDX-License-Identifier: BSD-3-Clause
//
// Tests collective operations and atomics (spec, chapters 12 and 13): broadcasts, reductions,
// atomic domains.
#include <tests/multi/upcxx/job_main.hpp>
#include <upcxx/allocate.hpp>
#include <upcxx/atomic.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/reduce.hpp>
#include <upcxx/rget.hpp>
#include <upcxx/rput.hpp>
#include <upcxx/when_all.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace {

using upcxx::atomic_op;
using upcxx::operation_cx;
using upcxx::rank_me;
using upcxx::rank_n;

constexpr auto relaxed = std::memory_order_relaxed;

TEST(broadcast, brings_the_roots_value_and_array_to_all) {
  for (int root = 0; root < rank_n(); ++root) {
    EXPECT_EQ(upcxx::broadcast(rank_me() * 3, root).wait(), root * 3);
    std::vector<long> many(70000, rank_me());
    upcxx::broadcast(many.data(), many.size(), root).wait();
    EXPECT_EQ(std::count(many.begin(), many.end(), root), 70000);
  }
  upcxx::promise<double> notified;
  upcxx::broadcast(1.5, 0, upcxx::world(), operation_cx::as_promise(notified));
  EXPECT_EQ(notified.finalize().wait(), 1.5);
}

struct extent {
  int low;
  int high;
};

TEST(reduce, combines_by_any_operation) {
  const int n = rank_n();
  EXPECT_EQ(upcxx::reduce_all(rank_me() + 1, upcxx::op_fast_add).wait(), n * (n + 1) / 2);
  EXPECT_EQ(upcxx::reduce_all(rank_me(), upcxx::op_fast_max).wait(), n - 1);
  EXPECT_EQ(upcxx::reduce_all(rank_me() == 0, upcxx::op_fast_mul).wait(), n == 1);
  EXPECT_EQ(upcxx::reduce_all(1u << rank_me(), upcxx::op_fast_bit_or).wait(), (1u << n) - 1);
  const extent combined = upcxx::reduce_all(extent{rank_me(), rank_me()}, [](extent a, extent b) {
                            return extent{std::min(a.low, b.low), std::max(a.high, b.high)};
                          }).wait();
  EXPECT_EQ(combined.low, 0);
  EXPECT_EQ(combined.high, n - 1);
  for (int root = 0; root < n; ++root) {
    const long sum = upcxx::reduce_one(long{rank_me()}, upcxx::op_fast_add, root).wait();
    if (rank_me() == root) {
      EXPECT_EQ(sum, long{n} * (n - 1) / 2);
    }
    std::vector<int> from(5000, 1);
    std::vector<int> to(5000, -1);
    upcxx::reduce_one(from.data(), to.data(), from.size(), upcxx::op_fast_add, root).wait();
    EXPECT_EQ(std::count(to.begin(), to.end(), rank_me() == root ? n : -1), 5000);
    upcxx::reduce_all(from.data(), from.data(), from.size(), std::plus<int>()).wait();
    EXPECT_EQ(std::count(from.begin(), from.end(), n), 5000);
  }
}

TEST(reduce, runs_many_at_once) {
  upcxx::future<> pending = upcxx::make_future();
  for (int i = 0; i < 20; ++i) {
    pending = upcxx::when_all(pending, upcxx::reduce_all(i, upcxx::op_fast_add).then([i](int sum) {
      EXPECT_EQ(sum, i * rank_n());
    }));
  }
  pending.wait();
}

template <class T>
void count_together() {
  upcxx::atomic_domain<T> domain({atomic_op::load, atomic_op::store, atomic_op::add,
                                  atomic_op::fetch_add, atomic_op::fetch_max, atomic_op::inc,
                                  atomic_op::compare_exchange});
  const auto number = upcxx::new_<T>(T{});
  const auto shared = upcxx::broadcast(number, rank_n() - 1).wait();
  constexpr int rounds = 500;
  upcxx::promise<> done;
  for (int i = 0; i < rounds; ++i) {
    domain.add(shared, T{2}, relaxed, operation_cx::as_promise(done));
    domain.inc(shared, relaxed).wait();
  }
  done.finalize().wait();
  upcxx::barrier();
  EXPECT_EQ(domain.load(shared, std::memory_order_acquire).wait(), T(3 * rounds * rank_n()));
  T loaded{};
  domain.load(shared, &loaded, relaxed).wait();
  EXPECT_EQ(loaded, T(3 * rounds * rank_n()));
  upcxx::barrier();
  T old_value{};
  domain.fetch_add(shared, T{1}, &old_value, relaxed).wait();
  EXPECT_GE(old_value, T(3 * rounds * rank_n()));
  upcxx::barrier();
  if (rank_me() == 0) {
    const T now = domain.fetch_max(shared, T{1}, relaxed).wait();
    EXPECT_EQ(domain.compare_exchange(shared, now, T{7}, std::memory_order_acq_rel).wait(), now);
    EXPECT_EQ(domain.compare_exchange(shared, now, T{8}, relaxed).wait(), T{7});
    domain.store(shared, T{9}, std::memory_order_release).wait();
    EXPECT_EQ(upcxx::rget(shared).wait(), T{9});
  }
  upcxx::atomic_domain<T> moved(std::move(domain));
  moved.destroy();
  upcxx::delete_(number);
}

TEST(atomic_domain, counts_together_in_every_type) {
  count_together<std::int32_t>();
  count_together<std::uint64_t>();
  count_together<long long>();
  count_together<double>();
  count_together<float>();
}

TEST(atomic_domain, has_bits_for_integers) {
  upcxx::atomic_domain<unsigned> bits({atomic_op::bit_or, atomic_op::fetch_bit_and,
                                       atomic_op::bit_xor, atomic_op::load, atomic_op::fetch_dec,
                                       atomic_op::fetch_min, atomic_op::fetch_sub, atomic_op::mul});
  const auto number = upcxx::new_<unsigned>(0u);
  const auto shared = upcxx::broadcast(number, 0).wait();
  bits.bit_or(shared, 1u << rank_me(), relaxed).wait();
  upcxx::barrier();
  EXPECT_EQ(bits.load(shared, relaxed).wait(), (1u << rank_n()) - 1);
  upcxx::barrier();
  EXPECT_EQ(bits.fetch_bit_and(number, 0u, relaxed).wait(),
            rank_me() == 0 ? (1u << rank_n()) - 1 : 0u);
  upcxx::barrier();
  bits.destroy();
  upcxx::delete_(number);
}

TEST(atomic_domain, may_be_made_inactive_and_moved_into) {
  upcxx::atomic_domain<int> domain;
  EXPECT_FALSE(domain.is_active());
  upcxx::atomic_domain<int> made = {{atomic_op::load}};
  domain = std::move(made);
  EXPECT_TRUE(domain.is_active() && !made.is_active());
  const auto number = upcxx::new_<int>(rank_me());
  EXPECT_EQ(domain.load(number, relaxed).wait(), rank_me());
  domain.destroy();
  EXPECT_FALSE(domain.is_active());
  upcxx::delete_(number);
}

}  // namespace
