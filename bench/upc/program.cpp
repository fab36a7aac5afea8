// SPDX-License-Identifier: BSD-3-Clause
//
// bench_upc: what UPC's elements, loops and calls cost, beside plain C in the same rounds. The
// loops are in UPC and compile with any implementation; this file uses no library.
#include <bench/upc/loops.h>
#include <bench/harness/command_line.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/harness/suite.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

constexpr std::size_t transfer_sizes[] = {8, 64, 512, 4096, 32768, upc_loop_bytes_max};

template <class Loop>
void add(bench::suite& to, std::string name, std::uint64_t operations, Loop loop) {
  to.add({.name = std::move(name), .operations = operations, .run = [loop](auto count) {
            const bench::stopwatch watch;
            loop(count);
            return watch.elapsed_ns();
          }});
}

template <class Loop>
void add_sized(bench::suite& to, const char* operation, std::size_t bytes, std::uint64_t operations,
               Loop loop) {
  to.add(
      {.name = std::string(operation) + "_" + std::to_string(bytes),
       .operations = operations,
       .bytes = bytes,
       .operation = operation,
       .run = [=](std::uint64_t count) { return bench::time_of(1, [&] { loop(count, bytes); }); }});
}

struct element_loop {
  const char* name;
  void (*run)(std::uint64_t count);
  const char* plain;  // the same in plain C
};

constexpr element_loop element_loops[] = {
    {"plain_scale", plain_scale, nullptr},
    {"forall_scale", forall_scale, "plain_scale"},
    {"forall_integer_scale", forall_integer_scale, "plain_scale"},
    {"forall_shifted_scale", forall_shifted_scale, "plain_scale"},
    {"plain_sum", plain_sum, nullptr},
    {"subscript_sum", subscript_sum, "plain_sum"},
    {"pointer_sum", pointer_sum, "plain_sum"},
    {"cyclic_sum", cyclic_sum, "plain_sum"},
    {"cyclic_pointer_sum", cyclic_pointer_sum, "plain_sum"},
    {"indefinite_sum", indefinite_sum, "plain_sum"},
    {"local_sum", local_sum, "plain_sum"},
    {"plain_random", plain_random, nullptr},
    {"cyclic_random", cyclic_random, "plain_random"},
    {"block_random", block_random, "plain_random"},
    {"odd_block_random", odd_block_random, "plain_random"},
};

void add_elements(bench::suite& to) {
  for (const element_loop& each : element_loops) {
    add(to, each.name, std::uint64_t{16} * upc_loop_elements, each.run);
    if (each.plain != nullptr) to.compare({.numerator = each.name, .denominator = each.plain});
  }
}

void add_transfers(bench::suite& to) {
  add(to, "put_element", 200'000, element_puts);
  add(to, "get_element", 200'000, element_gets);
  add(to, "memget_reads", std::uint64_t{8} * upc_loop_elements, memget_reads);
  add(to, "loop_reads", std::uint64_t{8} * upc_loop_elements, loop_reads);
  add(to, "loop_writes", std::uint64_t{8} * upc_loop_elements, loop_writes);
  add(to, "random_reads", 20'000, local_random_reads);
  to.compare({.numerator = "loop_reads", .denominator = "memget_reads"});
  to.compare({.numerator = "loop_writes", .denominator = "memget_reads"});
  to.compare({.numerator = "random_reads", .denominator = "get_element"});
  add(to, "put_strict", 100'000, strict_puts);
  add(to, "fetch_add", 100'000, fetch_adds);
  add(to, "lock_unlock", 100'000, lock_pairs);
  for (const std::size_t bytes : transfer_sizes) {
    const std::uint64_t operations = bytes <= 4096 ? 20'000 : (256U << 20) / bytes / 10;
    add_sized(to, "memput", bytes, operations, memputs);
    add_sized(to, "memget", bytes, operations, memgets);
  }
}

void add_collectives(bench::suite& to) {
  add(to, "barrier", 2'000, barriers);
  for (const bool waits : {true, false}) {
    add(to, waits ? "reduce_8" : "reduce_nosync_8", 1'000,
        [waits](std::uint64_t count) { all_reduces(count, waits); });
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, std::size_t{65536}})
      add_sized(to, waits ? "broadcast" : "broadcast_nosync", bytes, 1'000,
                [waits](std::uint64_t count, std::size_t each) { broadcasts(count, each, waits); });
  }
}

void measure(const std::string& benchmark, const bench::options& chosen) {
  bench::suite suite({.benchmark = "upc_" + benchmark,
                      .implementation = "atoll",
                      .rank = upc_loop_thread(),
                      .ranks = upc_loop_threads()},
                     chosen, upc_loop_barrier);
  suite.fit(upc_loop_agree);
  if (benchmark == "elements") add_elements(suite);
  if (benchmark == "transfers") add_transfers(suite);
  if (benchmark == "collectives") add_collectives(suite);
  suite.run();
  if (upc_loop_all_right() == 0) throw std::runtime_error("a sum was wrong");
}

}  // namespace

extern "C" int bench_upc_main(int argc, char** argv) {
  bench::options chosen;
  std::string benchmark = "elements";
  bench::command_line line("UPC: elements, transfers and collectives", chosen);
  line.add_choice("benchmark", benchmark, "which (default elements)",
                  {"elements", "transfers", "collectives"});
  line.parse(argc, argv);
  if (chosen.pinned) bench::pin(upc_loop_thread(), upc_loop_threads());
  try {
    measure(benchmark, chosen);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_upc: %s\n", problem.what());
    return EXIT_FAILURE;
  }
  std::fflush(stdout);
  return EXIT_SUCCESS;
}
