// SPDX-License-Identifier: BSD-3-Clause
//
// bench_shmem: OpenSHMEM as a program uses it, each operation of 8 bytes beside the plain
// instruction in the same rounds. The loops are in C and compiled with every implementation; this
// file knows neither Atoll nor another library, and times them.
#include <bench/shmem/loops.h>
#include <bench/harness/command_line.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/harness/suite.hpp>
#include <bench/threads/cases.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

constexpr std::size_t transfer_sizes[] = {8, 64, 512, 4096, 32768, 262144, osh_transfer_max};
constexpr std::size_t collective_sizes[] = {8, osh_collective_max};
static_assert(bench::threads_max <= osh_contexts_max);

struct asked_for {
  std::string benchmark = "latency";
  bench::options chosen = {};
  unsigned threads = 2;
};

/// The threads of a PE as the cases of bench_threads see them.
struct threads_of_pe {
  static bool acts() { return osh_rank() == 0; }
  static bool is_target() { return osh_ranks() == 1 || osh_rank() == 1; }
  static void puts(unsigned thread, std::uint64_t count) { osh_context_puts(thread, count); }
};

std::uint64_t operations_of(std::size_t bytes) {
  return bytes <= 4096 ? 20'000 : (256u << 20) / bytes / 10;
}

template <class Loop>
void add(bench::suite& to, std::string name, std::uint64_t operations, Loop loop) {
  to.add({.name = std::move(name), .operations = operations, .run = [loop](auto count) {
            const bench::stopwatch watch;
            loop(count);
            return watch.elapsed_ns();
          }});
}

// After other cases the areas of large transfers are in no cache, and only several passes bring
// them there: the first operation takes four times as long as the tenth. The measurement begins
// after these passes. Otherwise the first of two cases that use the same areas would pay for both.
std::uint64_t warm_up_operations(std::size_t bytes) { return bytes <= 32768 ? 0 : 10; }

template <class Loop>
void add_sized(bench::suite& to, const char* operation, std::size_t bytes, std::uint64_t operations,
               Loop loop) {
  to.add({.name = std::string(operation) + "_" + std::to_string(bytes),
          .operations = operations,
          .bytes = bytes,
          .operation = operation,
          .run = [=](std::uint64_t count) {
            loop(warm_up_operations(bytes), bytes);
            return bench::time_of(1, [&] { loop(count, bytes); });
          }});
}

void add_machine(bench::suite& to) {
  add(to, "plain_store", 200'000, osh_plain_store);
  add(to, "plain_load", 200'000, osh_plain_load);
  add(to, "plain_fetch_add", 200'000, osh_plain_fetch_add);
  to.compare({.numerator = "p", .denominator = "plain_store"});
  to.compare({.numerator = "g", .denominator = "plain_load"});
  to.compare({.numerator = "fetch_add", .denominator = "plain_fetch_add"});
}

void add_round_trips(bench::suite& to) {
  add(to, "p_wait_round_trip", 2'000, osh_p_round_trips);
  for (const std::size_t bytes : {8u, 64u, 4096u}) {
    add_sized(to, "signal_round_trip", bytes, 2'000, osh_signal_round_trips);
  }
  to.add({.name = "wait_wake_up", .operations = 200, .run = osh_wake_ups});
}

void add_synchronization(bench::suite& to) {
  add(to, "barrier_all", 2'000, osh_barriers);
  add(to, "sync_all", 2'000, osh_syncs);
}

void add_latency(bench::suite& to) {
  if (osh_target_is_mapped() != 0) add_machine(to);
  add(to, "p", 200'000, osh_p);
  add(to, "p_static", 200'000, osh_p_static);
  add(to, "g", 200'000, osh_g);
  add(to, "g_static", 200'000, osh_g_static);
  add(to, "fetch_add", 100'000, osh_fetch_add);
  add(to, "add", 100'000, osh_add);
  add(to, "compare_swap", 100'000, osh_compare_swap);
  add(to, "quiet", 100'000, osh_quiet);
  add(to, "fence", 100'000, osh_fence);
  add(to, "p_quiet", 100'000, osh_p_quiet);
  for (const std::size_t bytes : transfer_sizes) {
    add_sized(to, "put_quiet", bytes, operations_of(bytes), osh_put);
    add_sized(to, "get", bytes, operations_of(bytes), osh_get);
  }
  add_round_trips(to);
  add_synchronization(to);
}

void add_bandwidth(bench::suite& to) {
  for (const std::size_t bytes : transfer_sizes) {
    add_sized(to, "put_flood", bytes, operations_of(bytes), osh_put_flood);
    add_sized(to, "get_flood", bytes, operations_of(bytes), osh_get_flood);
  }
}

void add_collectives(bench::suite& to) {
  add_synchronization(to);
  for (const std::size_t bytes : collective_sizes) {
    add_sized(to, "broadcast", bytes, 1'000, osh_broadcasts);
    add_sized(to, "allreduce", bytes, 1'000, osh_sums);
    add_sized(to, "alltoall", bytes, 1'000, osh_alltoalls);
  }
}

void add_cases(bench::suite& to, const std::string& benchmark) {
  if (benchmark == "latency") add_latency(to);
  if (benchmark == "bandwidth") add_bandwidth(to);
  if (benchmark == "collectives") add_collectives(to);
}

void measure(const asked_for& asked) {
  bench::suite suite({.benchmark = "shmem_" + asked.benchmark,
                      .implementation = osh_library(),
                      .rank = osh_rank(),
                      .ranks = osh_ranks()},
                     asked.chosen, osh_barrier);
  suite.fit(osh_agree);
  add_cases(suite, asked.benchmark);
  threads_of_pe library;
  bench::thread_cases threads(library, asked.threads);
  if (asked.benchmark == "threads") {
    if (osh_make_contexts(asked.threads) != 0) throw std::runtime_error("there is no context");
    threads.add_to(suite);
  }
  suite.run();
  if (osh_all_right() == 0) throw std::runtime_error("data were lost or wrong");
}

}  // namespace

int main(int argc, char** argv) {
  asked_for asked;
  bench::command_line line("OpenSHMEM between two processing elements, or among all", asked.chosen);
  line.add_choice("benchmark", asked.benchmark, "which (default latency)",
                  {"latency", "bandwidth", "collectives", "threads"});
  line.add_number("--threads", asked.threads, "threads of each PE, of threads (default 2)", 1u,
                  bench::threads_max);
  line.parse(argc, argv);
  const bool threads = asked.benchmark == "threads";
  if (osh_join(threads ? 1 : 0) != 0) {
    std::fprintf(stderr, "bench_shmem: not enough memory, or no threads\n");
    osh_abort();
  }
  if (asked.chosen.pinned && !threads) bench::pin(osh_rank(), osh_ranks());
  try {
    measure(asked);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_shmem: %s\n", problem.what());
    osh_abort();
  }
  std::fflush(stdout);
  osh_leave();
  return EXIT_SUCCESS;
}
