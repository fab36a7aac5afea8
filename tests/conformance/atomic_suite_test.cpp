// SPDX-License-Identifier: BSD-3-Clause
//
// Tests the promises of remote atomics between ranks, on every path: many ranks and threads change
// one number with each operation and type, and the outcome adds up; the fetched values correspond
// to some order; direct operations and requests on the same number lose none. Ranks are threads of
// this process, so that the thread sanitizer sees both sides.
#include <atoll/base/text.hpp>
#include <atoll/base/threads/race_annotations.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/transport/ofi/settings.hpp>
#include <tests/support/thread_job.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

namespace atl {
namespace {

/// How operations reach the number.
enum class way : std::uint8_t { direct, am, mixed, domain };

struct shape {
  rank_id ranks;
  way path;
  unsigned threads;  // of each rank
};

std::string name_of(const testing::TestParamInfo<shape>& info) {
  static constexpr const char* ways[] = {"direct", "am", "mixed", "domain"};
  return text("n", info.param.ranks, "_", ways[static_cast<int>(info.param.path)], "_t",
              info.param.threads);
}

#ifdef ATOLL_SANITIZED
constexpr unsigned rounds = 40;
#else
constexpr unsigned rounds = 120;
#endif

/// One thread of one rank, and the number that all of them work on, at the last rank.
template <class T>
class worker {
 public:
  worker(runtime& job, T* number, const atomic_domain& domain, way path, unsigned index)
      : job_(job), domain_(domain), path_(path), index_(index), turn_(index) {
    const route_rows rows = job.heaps().routes();
    const auto offset = reinterpret_cast<std::uintptr_t>(number) - rows[job.rank()].remote();
    remote_ = reinterpret_cast<T*>(rows[home()].remote() + offset);
  }

  unsigned index() const { return index_; }

  /// Alternates between the blocking, explicit and implicit form; a mixed worker sends every second
  /// operation as a request.
  T operator()(const atomic_request<T>& request, atomic_options options = {}) {
    ++turn_;
    if (path_ == way::domain) return by_domain(request, options);
    T old_value{};
    endpoint& primordial = job_.primordial();
    const bool by_request = path_ == way::mixed && turn_ % 2 == 0;
    const atomic_call call = call_of(remote_, request, &old_value);
    if (turn_ / 2 % 3 == 0) {
      if (!by_request) return atomic(primordial, home(), remote_, request, options);
      atomic_out_of_line(primordial, home(), call);
    } else if (turn_ / 2 % 3 == 1) {
      event done;
      EXPECT_TRUE(by_request
                      ? atomic_nb_out_of_line(primordial, home(), call, options, done)
                      : atomic_nb(primordial, home(), remote_, request, &old_value, done, options));
      job_.wait(done);
    } else {
      EXPECT_TRUE(by_request
                      ? atomic_nbi_out_of_line(primordial, home(), call, options)
                      : atomic_nbi(primordial, home(), remote_, request, &old_value, options));
      job_.wait_implicit(true, true, true);
    }
    return old_value;
  }

 private:
  T by_domain(const atomic_request<T>& request, atomic_options options) {
    T old_value{};
    if (turn_ / 2 % 3 == 0) return domain_.apply(home(), remote_, request, options);
    if (turn_ / 2 % 3 == 1) {
      event done;
      EXPECT_TRUE(domain_.apply_nb(home(), remote_, request, &old_value, done));
      job_.wait(done);
    } else {
      EXPECT_TRUE(domain_.apply_nbi(home(), remote_, request, &old_value));
      job_.wait_implicit(true, true, true);
    }
    return old_value;
  }

  using route_rows = const atl::route*;
  rank_id home() const { return job_.size() - 1; }

  runtime& job_;
  const atomic_domain& domain_;
  T* remote_;
  way path_;
  unsigned index_;
  unsigned turn_;
};

class atomics : public testing::TestWithParam<shape> {
 protected:
  unsigned workers() const { return GetParam().ranks * GetParam().threads; }

  /// Sets the number to `initial` and runs `body(worker)` in every worker; then its owner checks it
  /// with `check(number)`.
  template <class T, class Body, class Check>
  void run(T initial, Body body, Check check) {
    const shape& variant = GetParam();
    const auto rank_body = [&](runtime& job) {
      auto* const number = static_cast<T*>(job.heap().allocate(sizeof(T), sizeof(T)));
      *number = initial;
      const atomic_domain domain(job.world(), data_type_of<T>(), ops<T>());
      job.world().barrier();
      std::vector<std::thread> threads;
      for (unsigned t = 0; t < variant.threads; ++t) {
        threads.emplace_back([&, t] {
          worker<T> change(job, number, domain, variant.path, job.rank() * variant.threads + t);
          body(change);
        });
      }
      for (std::thread& each : threads) each.join();
      job.world().barrier();
      if (job.rank() == job.size() - 1) check(*number);
      job.world().barrier();
      job.heap().free(number);
    };
    support::run_job(variant.ranks, rank_body,
                     {text("ATOLL_RMA_PATH=", variant.path == way::am ? "am" : "direct"),
                      "ATOLL_PROGRESS_THREAD=1"},
                     thread_mode::any);
  }

  /// The operations of networks: all except comparisons of floating-point numbers.
  template <class T>
  atomic_ops ops() const {
    const atomic_ops every = ops_of(data_type_of<T>());
    const bool has_compare = std::integral<T> || compares_;
    return has_compare ? every : every - (atomic_op::cas | atomic_op::fetch_cas);
  }

  template <class T>
  void sums() {
    const auto n = static_cast<T>(workers() * rounds);
    const auto add = [](worker<T>& change) {
      for (unsigned i = 0; i < rounds; ++i) {
        change({.op = atomic_op::add, .operand = T{3}});
        change({.op = atomic_op::fetch_sub, .operand = T{2}});
        change({.op = atomic_op::inc});
        change({.op = atomic_op::fetch_dec});
        change({.op = atomic_op::fetch_add, .operand = T{2}});
        change({.op = atomic_op::sub, .operand = T{2}});
      }
    };
    run<T>(T{5}, add, [&](T number) { EXPECT_EQ(number, T{5} + n); });
  }

  // Every ticket is drawn once.
  template <class T>
  void tickets() {
    std::vector<std::vector<T>> drawn(workers());
    const auto draw = [&](worker<T>& change) {
      for (unsigned i = 0; i < rounds; ++i) {
        const T ticket = change(
            {.op = i % 2 == 0 ? atomic_op::fetch_inc : atomic_op::fetch_add, .operand = T{1}});
        EXPECT_TRUE(drawn[change.index()].empty() || drawn[change.index()].back() < ticket);
        drawn[change.index()].push_back(ticket);
      }
    };
    run<T>(T{0}, draw, [&](T number) { EXPECT_EQ(number, static_cast<T>(workers() * rounds)); });
    std::vector<T> merged;
    for (const auto& each : drawn) merged.insert(merged.end(), each.begin(), each.end());
    std::sort(merged.begin(), merged.end());
    for (std::size_t i = 0; i < merged.size(); ++i) EXPECT_EQ(merged[i], static_cast<T>(i));
  }

  template <class T>
  void extremes() {
    const auto widen = [](worker<T>& change) {
      for (unsigned i = 0; i < rounds; ++i) {
        const T value = static_cast<T>(change.index() * rounds + i + 1);
        const T old_value = change({.op = atomic_op::fetch_max, .operand = value});
        EXPECT_TRUE(change({.op = atomic_op::get}) >= (old_value < value ? value : old_value));
        change({.op = atomic_op::max, .operand = T{1}});
      }
    };
    run<T>(T{0}, widen, [&](T number) { EXPECT_EQ(number, static_cast<T>(workers() * rounds)); });
    const auto narrow = [](worker<T>& change) {
      for (unsigned i = rounds; i > 0; --i) {
        const T value = static_cast<T>(change.index() + i);
        EXPECT_TRUE(change({.op = atomic_op::fetch_min, .operand = value}) >= T{1});
        change({.op = atomic_op::min, .operand = value});
      }
    };
    run<T>(T{100}, narrow, [](T number) { EXPECT_EQ(number, T{1}); });
  }

  // Doublings and, by compare-and-swap, halvings; and increments by compare-and-swap.
  template <class T>
  void exchanges() {
    const auto swap = [](worker<T>& change) {
      for (unsigned i = 0; i < rounds / 4; ++i) {
        T seen = change({.op = atomic_op::get});
        for (;;) {
          const T old_value = change({.op = atomic_op::fetch_cas,
                                      .operand = seen,
                                      .operand2 = static_cast<T>(seen + T{1})});
          if (old_value == seen) break;
          seen = old_value;
        }
        change({.op = atomic_op::cas, .operand = T{0}, .operand2 = T{77}});  // never 0
        change({.op = i % 2 == 0 ? atomic_op::mult : atomic_op::fetch_mult, .operand = T{1}});
      }
    };
    compares_ = true;
    run<T>(T{1}, swap,
           [&](T number) { EXPECT_EQ(number, static_cast<T>(1 + workers() * (rounds / 4))); });
    compares_ = false;
    // Each value that is set or swapped in is swapped out exactly once or is left at the end, so
    // both sums are equal.
    std::vector<double> in(workers()), out(workers());
    const auto trade = [&](worker<T>& change) {
      for (unsigned i = 0; i < rounds; ++i) {
        const T value = static_cast<T>(change.index() * rounds + i + 1);
        in[change.index()] += static_cast<double>(value);
        out[change.index()] +=
            static_cast<double>(change({.op = atomic_op::swap, .operand = value}));
      }
    };
    double last = 0;
    run<T>(T{0}, trade, [&](T number) { last = static_cast<double>(number); });
    for (unsigned i = 0; i < workers(); ++i) last += out[i] - in[i];
    EXPECT_EQ(last, 0);
  }

  // Each worker owns a bit, which only this worker turns on and off.
  template <std::integral T>
  void bits() {
    const auto flip = [](worker<T>& change) {
      const auto bit = static_cast<T>(T{1} << change.index());
      const auto others = static_cast<T>(~bit);
      for (unsigned i = 0; i < rounds / 4; ++i) {
        EXPECT_EQ(change({.op = atomic_op::fetch_or, .operand = bit}) & bit, 0);
        EXPECT_EQ(change({.op = atomic_op::fetch_and, .operand = others}) & bit, bit);
        EXPECT_EQ(change({.op = atomic_op::fetch_xor, .operand = bit}) & bit, 0);
        change({.op = atomic_op::bit_xor, .operand = bit});
        change({.op = atomic_op::bit_or, .operand = bit});
        EXPECT_EQ(change({.op = atomic_op::get}) & bit, bit);
        change({.op = atomic_op::bit_and, .operand = others});
      }
    };
    run<T>(T{0}, flip, [](T number) { EXPECT_EQ(number, T{0}); });
  }

  bool compares_ = false;

  template <class T>
  void all_of_a_type() {
    sums<T>();
    tickets<T>();
    extremes<T>();
    exchanges<T>();
    if constexpr (std::integral<T>) bits<T>();
  }
};

TEST_P(atomics, on_one_number_are_all_done_i32) { all_of_a_type<std::int32_t>(); }
TEST_P(atomics, on_one_number_are_all_done_u32) { all_of_a_type<std::uint32_t>(); }
TEST_P(atomics, on_one_number_are_all_done_i64) { all_of_a_type<std::int64_t>(); }
TEST_P(atomics, on_one_number_are_all_done_u64) { all_of_a_type<std::uint64_t>(); }
TEST_P(atomics, on_one_number_are_all_done_f32) { all_of_a_type<float>(); }
TEST_P(atomics, on_one_number_are_all_done_f64) { all_of_a_type<double>(); }

// A plain number is passed on under a flag: the worker that sets the flag releases, the next worker
// acquires.
TEST_P(atomics, that_release_and_acquire_hand_on_what_was_written_before) {
  std::uint64_t plain = 0;  // not atomic: a missing order is a data race
  // Each rank maps the number at another address, which the thread sanitizer sees as several
  // numbers.
  const bool several_mappings = GetParam().ranks > 1;
  const auto hand_on = [&](worker<std::uint64_t>& change) {
    for (unsigned i = 0; i < rounds / 4; ++i) {
      const std::uint64_t turn = i * std::uint64_t{workers()} + change.index();
      while (change({.op = atomic_op::get}, {.acquire = true}) != turn) std::this_thread::yield();
      if (several_mappings) ordered_after(&plain);
      EXPECT_EQ(plain, turn);
      plain = turn + 1;
      if (several_mappings) ordered_before(&plain);
      change({.op = i % 2 == 0 ? atomic_op::set : atomic_op::inc, .operand = turn + 1},
             {.release = true});
    }
  };
  run<std::uint64_t>(0, hand_on, [&](std::uint64_t) {});
  EXPECT_EQ(plain, rounds / 4 * workers());
}

INSTANTIATE_TEST_SUITE_P(ways, atomics,
                         testing::Values(shape{1, way::direct, 3}, shape{2, way::direct, 1},
                                         shape{3, way::direct, 2}, shape{1, way::am, 1},
                                         shape{2, way::am, 2}, shape{3, way::am, 1},
                                         shape{1, way::mixed, 2}, shape{3, way::mixed, 2},
                                         shape{3, way::domain, 2}),
                         name_of);

TEST(atomic_requests, gather_in_regions_and_are_counted) {
  support::run_job(
      2,
      [](runtime& job) {
        auto* const number = static_cast<std::uint32_t*>(job.heap().allocate(4));
        *number = 0;
        job.world().barrier();
        const auto start_count = trace::read()[static_cast<std::size_t>(trace::counter::atomics)];
        std::array<std::uint32_t, 20> old_values{};
        layer_access::implicit_operations(job).begin_region();
        for (auto& each : old_values) {
          EXPECT_TRUE(atomic_nbi(job.primordial(), job.rank(), number, {.op = atomic_op::fetch_inc},
                                 &each));
        }
        event done = layer_access::implicit_operations(job).end_region();
        job.wait(done);
        for (std::uint32_t i = 0; i < old_values.size(); ++i) EXPECT_EQ(old_values[i], i);
        EXPECT_EQ(*number, old_values.size());
        const auto end_count = trace::read()[static_cast<std::size_t>(trace::counter::atomics)];
        EXPECT_GE(end_count - start_count, old_values.size());
        job.world().barrier();
      },
      {"ATOLL_RMA_PATH=am"});
}

TEST(atomic_domains, do_what_they_were_made_for) {
  support::run_job(3, [](runtime& job) {
    const atomic_domain counters(job.world(), data_type::i64,
                                 atomic_op::fetch_add | atomic_op::get);
    auto* const number = static_cast<std::int64_t*>(job.heap().allocate(8));
    *number = 0;
    job.world().barrier();
    const auto offset =
        reinterpret_cast<std::uintptr_t>(number) - job.heaps().routes()[job.rank()].remote();
    auto* const remote = reinterpret_cast<std::int64_t*>(job.heaps().routes()[0].remote() + offset);
    std::int64_t old_value = -1;
    counters.apply(0, remote, {.op = atomic_op::fetch_add, .operand = 5});
    event done;
    EXPECT_TRUE(
        counters.apply_nb(0, remote, {.op = atomic_op::fetch_add, .operand = 6}, &old_value, done));
    job.wait(done);
    EXPECT_GE(old_value, 5);
    EXPECT_TRUE(counters.apply_nbi(0, remote, {.op = atomic_op::get}, &old_value));
    job.wait_implicit(true, true, true);
    EXPECT_GE(old_value, 11);
    job.world().barrier();
    EXPECT_EQ(counters.apply(0, remote, {.op = atomic_op::get}), 33);
    job.world().barrier();
  });
}

// A domain uses the network for all its operations or for none, and every rank decides the same.
TEST(atomic_domains, go_by_the_network_where_it_has_all_operations) {
  support::run_job(3, [](runtime& job) {
    const bool native = !core_access::networks(job).empty() &&
                        job.configuration().text(setting::ofi_atomics) == "native" &&
                        job.configuration().text(setting::ofi_memory) != "refused";
    const auto goes = [&](data_type type, atomic_ops ops) {
      return atomic_domain(job.world(), type, ops).by_network();
    };
    const atomic_ops compare = atomic_op::cas | atomic_op::fetch_cas;
    for (const data_type type : {data_type::i32, data_type::u32, data_type::i64, data_type::u64}) {
      EXPECT_EQ(goes(type, ops_of(type)), native);
    }
    for (const data_type type : {data_type::f32, data_type::f64}) {
      EXPECT_EQ(goes(type, ops_of(type) - compare), native);
      EXPECT_FALSE(goes(type, ops_of(type)));
    }
    const auto count = [] {
      return trace::read()[static_cast<std::size_t>(trace::counter::network_atomics)];
    };
    const atomic_domain domain(job.world(), data_type::u64, atomic_op::inc);
    auto* const number = static_cast<std::uint64_t*>(job.heap().allocate(8));
    *number = 1;
    job.world().barrier();
    const auto start_count = count();
    domain.apply(job.rank(), number, {.op = atomic_op::inc});
    EXPECT_EQ(*number, 2u) << "of one's own heap, too";
    EXPECT_EQ(count() != start_count, native);
    job.world().barrier();
  });
}

void misuse(void (*wrong)(runtime&, std::uint64_t*), const char* path = "direct") {
  support::run_job(
      1, [&](runtime& job) { wrong(job, static_cast<std::uint64_t*>(job.heap().allocate(16))); },
      {text("ATOLL_RMA_PATH=", path)});
}

TEST(atomic_misuse_death_test, ends_the_job_with_object_cause_and_remedy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char* path : {"direct", "am"}) {
    EXPECT_DEATH(misuse(
                     [](runtime& job, std::uint64_t*) {
                       atomic<std::uint64_t>(job.primordial(), 0, nullptr, {.op = atomic_op::inc});
                     },
                     path),
                 "atomic of 8 bytes, rank 0 to rank 0 at 0x0.*outside the segment");
    EXPECT_DEATH(misuse(
                     [](runtime& job, std::uint64_t* number) {
                       auto* const odd =
                           reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(number) + 4);
                       atomic(job.primordial(), 0, odd, {.op = atomic_op::inc});
                     },
                     path),
                 "atomic 'inc' on u64.*not aligned");
    EXPECT_DEATH(misuse(
                     [](runtime& job, std::uint64_t* number) {
                       atomic(job.primordial(), 0, reinterpret_cast<double*>(number),
                              {.op = atomic_op::fetch_or});
                     },
                     path),
                 "'fetch_or' to rank 0: there is no such operation on f64");
    EXPECT_DEATH(misuse(
                     [](runtime& job, std::uint64_t* number) {
                       atomic(job.primordial(), 7, number, {.op = atomic_op::inc});
                     },
                     path),
                 "atomic from rank 0 to rank 7: there are ranks 0 to 0");
  }
  EXPECT_DEATH(misuse([](runtime& job, std::uint64_t* number) {
                 const atomic_domain only(job.world(), data_type::u64, atomic_op::add);
                 only.apply(0, number, {.op = atomic_op::inc});
               }),
               "'inc' on u64 .*the domain was made for: add");
  EXPECT_DEATH(misuse([](runtime& job, std::uint64_t* number) {
                 const atomic_domain only(job.world(), data_type::i64, atomic_op::add);
                 only.apply(0, number, {.op = atomic_op::add});
               }),
               "of an atomic domain of i64: the types differ");
}

}  // namespace
}  // namespace atl
