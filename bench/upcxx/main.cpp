// SPDX-License-Identifier: BSD-3-Clause
//
// bench_upcxx: the small operations of two ranks in UPC++, each beside the plain instruction or the
// core's active message in the same rounds. The loops are in loops.cpp, which the reference UPC++
// compiles too (bench/README.md says how); this file times them.
#include <bench/harness/command_line.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/harness/suite.hpp>
#include <bench/upcxx/core.hpp>
#include <bench/upcxx/loops.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

namespace {

constexpr std::uint64_t transfer_operations = 200'000;
constexpr std::uint64_t flood_operations = 20'000;
constexpr std::uint64_t round_trip_operations = 2'000;

template <class Loop>
void add(bench::suite& to, std::string name, std::uint64_t operations, Loop loop) {
  to.add({.name = std::move(name), .operations = operations, .run = [loop](auto count) {
            const bench::stopwatch watch;
            loop(count);
            return watch.elapsed_ns();
          }});
}

void add_transfers(bench::suite& to) {
  add(to, "plain_store", transfer_operations, loops::store);
  add(to, "rput_8", transfer_operations, loops::rput);
  add(to, "rput_8_flood", transfer_operations, loops::rput_flood);
  add(to, "plain_load", transfer_operations, loops::load);
  add(to, "rget_8", transfer_operations, loops::rget);
  add(to, "rget_8_flood", transfer_operations, loops::rget_flood);
  add(to, "plain_add", transfer_operations, loops::atomic_add);
  add(to, "fetch_add", transfer_operations, loops::fetch_add);
  add(to, "add", transfer_operations, loops::add);
  add(to, "add_flood", transfer_operations, loops::add_flood);
  add(to, "idle_progress", transfer_operations, loops::idle_progress);
  to.compare({.numerator = "rput_8", .denominator = "plain_store"});
  to.compare({.numerator = "rget_8", .denominator = "plain_load"});
  to.compare({.numerator = "fetch_add", .denominator = "plain_add"});
}

void add_calls(bench::suite& to) {
  if (core_round_trips != nullptr) {
    add(to, "am_short_round_trip", round_trip_operations, core_round_trips);
  }
  add(to, "rpc_round_trip", round_trip_operations, loops::rpc_round_trip);
  add(to, "rpc_round_trip_8", round_trip_operations, loops::rpc_round_trip_8);
  add(to, "rpc_to_self", flood_operations, loops::rpc_to_self);
  add(to, "rpc_ff_flood_8", flood_operations, loops::rpc_ff_flood);
  for (const unsigned bytes : {64u, 512u, 4096u}) {
    add(to, "rpc_ff_flood_" + std::to_string(bytes) + "_view", flood_operations / 2,
        [bytes](std::uint64_t count) { loops::rpc_ff_flood_bytes(count, bytes); });
  }
  add(to, "map_insert", round_trip_operations, loops::map_insert);
  add(to, "map_insert_flood", flood_operations, loops::map_insert_flood);
  add(to, "map_insert_strings", round_trip_operations, loops::map_insert_strings);
  if (core_round_trips != nullptr) {
    to.compare(
        {.numerator = "rpc_round_trip", .denominator = "am_short_round_trip", .at_most = 1.25});
  }
}

void measure(const bench::options& chosen, const std::string& implementation) {
  bench::suite suite({.benchmark = "upcxx",
                      .implementation = implementation,
                      .rank = loops::rank(),
                      .ranks = loops::ranks()},
                     chosen, loops::barrier);
  add_transfers(suite);
  add_calls(suite);
  suite.run();
  loops::barrier();
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  std::string implementation = "atoll";
  bench::command_line line("The small operations of two ranks in UPC++", chosen);
  line.add_text("--implementation", implementation, "Name of the library, for the JSON file");
  line.parse(argc, argv);
  loops::join();
  if (chosen.pinned) bench::pin(loops::rank(), loops::ranks());
  int status = EXIT_FAILURE;
  try {
    measure(chosen, implementation);
    if (loops::all_arrived()) status = EXIT_SUCCESS;
    if (status != 0) std::fprintf(stderr, "bench_upcxx: calls were missed\n");
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_upcxx: %s\n", problem.what());
  }
  std::fflush(stdout);
  loops::leave();
  return status;
}
