// SPDX-License-Identifier: BSD-3-Clause
//
// bench_atomics: atomic operations on numbers of another rank, one at a time and many, beside the
// instructions of this processor on the same memory, in the same rounds. Afterwards the owner
// checks that all of them were done. Run it under `atoll run -n 2`.
#include <bench/atomics/cases.hpp>
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/harness/rank_pair.hpp>

#include <atoll/core/atomic/atomic.hpp>

#include <atomic>
#include <cstdint>

namespace {

constexpr std::uint64_t operations = 100'000;

/// The operations of cases.hpp on Atoll.
class atoll_atomics {
 public:
  explicit atoll_atomics(const bench::rank_pair& pair)
      : pair_(pair),
        endpoint_(pair.endpoint()),
        target_(pair.target()),
        remote_(pair.at_target(pair.area())) {}

  bool acts() const noexcept { return pair_.acts(); }
  void complete() const noexcept { pair_.job().wait_implicit(true, true, true); }

  template <class T>
  T fetch_add(std::size_t place, T addend) const noexcept {
    return atl::atomic(endpoint_, target_, number<T>(place), {atl::atomic_op::fetch_add, addend});
  }
  template <class T>
  void fetch_add_nbi(std::size_t place, const T* addend, T* old_value) const noexcept {
    atl::atomic_nbi(endpoint_, target_, number<T>(place), {atl::atomic_op::fetch_add, *addend},
                    old_value);
  }
  template <class T>
  void add(std::size_t place, T addend) const noexcept {
    atl::atomic(endpoint_, target_, number<T>(place), {atl::atomic_op::add, addend});
  }
  template <class T>
  void add_nbi(std::size_t place, const T* addend) const noexcept {
    atl::atomic_nbi(endpoint_, target_, number<T>(place), {atl::atomic_op::add, *addend}, nullptr);
  }
  std::uint64_t compare_swap(std::size_t place, std::uint64_t expected,
                             std::uint64_t desired) const noexcept {
    return atl::atomic(endpoint_, target_, number<std::uint64_t>(place),
                       {atl::atomic_op::fetch_cas, expected, desired});
  }
  void compare_swap_nbi(std::size_t place, const std::uint64_t* expected,
                        const std::uint64_t* desired, std::uint64_t* old_value) const noexcept {
    atl::atomic_nbi(endpoint_, target_, number<std::uint64_t>(place),
                    {atl::atomic_op::fetch_cas, *expected, *desired}, old_value);
  }

 private:
  template <class T>
  T* number(std::size_t place) const noexcept {
    return reinterpret_cast<T*>(remote_ + place);
  }

  const bench::rank_pair& pair_;
  atl::endpoint& endpoint_;
  atl::rank_id target_;
  std::byte* remote_;
};

template <class Each>
void add_raw(bench::suite& to, const bench::rank_pair& pair, const char* name, Each each) {
  to.add({.name = name, .operations = operations, .run = [&pair, each](std::uint64_t count) {
            if (!pair.acts()) return 0.0;
            const bench::stopwatch watch;
            for (std::uint64_t i = 0; i < count; ++i) each(i % bench::atomic_places);
            return watch.elapsed_ns();
          }});
}

/// Cases of the processor alone, on the target's memory behind the numbers of the other cases.
void add_machine(bench::suite& to, const bench::rank_pair& pair) {
  std::byte* const behind = pair.view(pair.target(), pair.area()) + bench::atomic_area_bytes;
  auto* const integer = reinterpret_cast<std::uint64_t*>(behind);
  auto* const real = reinterpret_cast<double*>(behind + bench::atomic_row_bytes);
  add_raw(to, pair, "raw_fetch_add_u64",
          [=](auto place) { bench::keep(std::atomic_ref(integer[place]).fetch_add(1)); });
  add_raw(to, pair, "raw_fetch_add_f64",
          [=](auto place) { bench::keep(std::atomic_ref(real[place]).fetch_add(1)); });
  add_raw(to, pair, "raw_compare_swap_u64", [=](auto place) {
    std::uint64_t zero = 0;
    bench::keep(std::atomic_ref(integer[place]).compare_exchange_strong(zero, 0));
  });
}

bool measure(atl::runtime& job, const bench::options& chosen) {
  const bench::rank_pair pair(job, bench::atomic_area_bytes + 2 * bench::atomic_row_bytes);
  atoll_atomics library(pair);
  bench::atomic_cases cases(library, operations);
  bench::suite suite(bench::title_of("atomics", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  add_machine(suite, pair);
  cases.add_to(suite);
  suite.compare({.numerator = "fetch_add_u64_blocking", .denominator = "raw_fetch_add_u64"});
  suite.compare({.numerator = "fetch_add_f64_blocking", .denominator = "raw_fetch_add_f64"});
  suite.compare({.numerator = "compare_swap_u64_blocking", .denominator = "raw_compare_swap_u64"});
  suite.compare({.numerator = "add_u64_blocking", .denominator = "raw_fetch_add_u64"});
  suite.run();
  job.world().barrier();
  return !pair.is_target() || cases.all_done(pair.area());
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  bench::command_line line(
      "Atomic operations on numbers of another rank, beside the processor's own", chosen);
  line.parse(argc, argv);
  return bench::job_main("bench_atomics", chosen, measure);
}
