// SPDX-License-Identifier: BSD-3-Clause
//
// bench_coarray: what Fortran's coindexed sections, single values, SYNC ALL and events cost, beside
// the loops that one would write for local arrays, and beside the core's barrier and its atomic add
// and wait, in the same rounds. The loops are in Fortran.
#include <bench/coarray/loops.h>
#include <bench/harness/command_line.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/harness/suite.hpp>

#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/shared_runtime.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>

namespace {

struct section_case {
  const char* name;
  std::uint64_t operations;
};

/// The sections, by their numbers in loops.f90.
constexpr section_case sections[] = {
    {"get_matrix", 100},      {"put_matrix", 100},         {"get_stride_2", 100},
    {"put_stride_2", 100},    {"get_row", 5'000},          {"put_row", 5'000},
    {"get_vector", 500},      {"put_vector", 500},         {"get_long_vector", 500},
    {"put_long_vector", 500}, {"get_vector_real4", 500},   {"put_vector_real4", 500},
    {"get_real4", 100},       {"put_real4", 100},          {"get_complex", 100},
    {"put_complex", 100},     {"get_stride_2_real4", 100}, {"get_two_rows", 1'000},
};

constexpr double ratio_most = 1.25;  // 80 % of the loop on local arrays

int target_image() { return coarray_loop_images() == 1 ? 1 : 2; }

template <class Loop>
void add(bench::suite& to, std::string name, std::uint64_t operations, Loop loop) {
  to.add({.name = std::move(name), .operations = operations, .run = [loop](auto count) {
            return bench::time_of(count, loop);
          }});
}

void add_sections(bench::suite& to) {
  const bool acts = coarray_loop_image() == 1;
  int which = 0;
  for (const section_case& each : sections) {
    const std::string plain = std::string("plain_") + each.name;
    add(to, each.name, each.operations, [=] {
      if (acts) coarray_loop_remote(which, target_image());
    });
    add(to, plain, each.operations, [=] {
      if (acts) coarray_loop_local(which);
    });
    to.compare({.numerator = each.name, .denominator = plain, .at_most = ratio_most});
    ++which;
  }
}

void add_values(bench::suite& to) {
  const bool acts = coarray_loop_image() == 1;
  const auto timed = [=](void (*loop)(std::int64_t, int)) {
    return [=](std::uint64_t count) {
      const bench::stopwatch watch;
      if (acts) loop(static_cast<std::int64_t>(count), target_image());
      return watch.elapsed_ns();
    };
  };
  to.add({.name = "get_value", .operations = 200'000, .run = timed(coarray_loop_gets)});
  to.add({.name = "put_value", .operations = 200'000, .run = timed(coarray_loop_puts)});
}

/// A round trip by the core: an atomic add to a number of the peer, which waits for it and answers.
class core_ping_pong {
 public:
  explicit core_ping_pong(atl::runtime& job)
      : job_(job), own_(coarray_loop_flag()), peer_(job.rank() == 0 ? 1 : 0) {
    const atl::segment& heaps = job.heaps();
    const auto offset = reinterpret_cast<std::byte*>(own_) - heaps.own_part().base;
    remote_ = reinterpret_cast<std::int64_t*>(heaps.part(peer_).base + offset);
  }

  void round_trip() {
    ++sent_;
    if (job_.rank() == 0) post();
    if (job_.rank() < 2) wait();
    if (job_.rank() == 1) post();
  }

 private:
  void post() {
    atl::atomic<std::int64_t>(job_.heaps(), peer_, remote_,
                              {.op = atl::atomic_op::add, .operand = 1, .operand2 = 0});
    job_.wake(peer_);
  }
  void wait() {
    job_.wait_until(
        [this] { return std::atomic_ref(*own_).load(std::memory_order_acquire) >= sent_; });
  }

  atl::runtime& job_;
  std::int64_t* own_;
  std::int64_t* remote_;
  atl::rank_id peer_;
  std::int64_t sent_ = 0;
};

void measure(const std::string& benchmark, const bench::options& chosen, atl::runtime& job) {
  bench::suite suite({.benchmark = "coarray_" + benchmark,
                      .implementation = "atoll",
                      .rank = job.rank(),
                      .ranks = job.size()},
                     chosen, coarray_loop_sync_all);
  std::unique_ptr<core_ping_pong> pair;
  if (benchmark == "sections") {
    add_sections(suite);
    add_values(suite);
  } else {
    add(suite, "sync_all", 2'000, coarray_loop_sync_all);
    add(suite, "core_barrier", 2'000, [&job] { job.world().barrier(); });
    suite.compare({.numerator = "sync_all", .denominator = "core_barrier", .at_most = 1.05});
    if (job.size() > 1) {
      pair = std::make_unique<core_ping_pong>(job);
      add(suite, "event_round_trip", 2'000, coarray_loop_event_round_trip);
      add(suite, "core_atomic_and_wait", 2'000, [&pair] { pair->round_trip(); });
      suite.compare(
          {.numerator = "event_round_trip", .denominator = "core_atomic_and_wait", .at_most = 1.2});
    }
  }
  suite.run();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  std::string benchmark = "sections";
  bench::command_line line("Fortran coarrays: sections, and synchronization", chosen);
  line.add_choice("benchmark", benchmark, "which (default sections)",
                  {"sections", "synchronization"});
  line.parse(argc, argv);
  coarray_loop_prepare();
  atl::runtime& job = *atl::running_runtime();
  if (chosen.pinned) bench::pin(job.rank(), job.size());
  try {
    measure(benchmark, chosen, job);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_coarray: %s\n", problem.what());
    return EXIT_FAILURE;
  }
  std::fflush(stdout);
  return EXIT_SUCCESS;
}
