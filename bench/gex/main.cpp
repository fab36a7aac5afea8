// SPDX-License-Identifier: BSD-3-Clause
//
// bench_gex_latency: the small operations between two ranks through the GASNet-EX C API, so that
// the same source measures Atoll's front and GASNet-EX itself (bench/README.md says how). The loops
// are those of bench_latency, in loops.c; this file times them.
#include <bench/gex/loops.h>
#include <bench/harness/command_line.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/suite.hpp>
#include <bench/machine/ping_pong.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::uint64_t transfer_operations = 200'000;
constexpr std::uint64_t round_trip_operations = 4'000;
constexpr std::uint64_t flood_operations = 40'000;
constexpr std::uint64_t large_operations = 1'000;
constexpr std::size_t copy_places = 16;
constexpr std::size_t lines_offset = std::size_t{3} << 20;  // in the segment, beside the copies

template <class Loop>
void add(bench::suite& to, std::string name, std::uint64_t operations, Loop loop) {
  to.add({.name = std::move(name), .operations = operations, .run = [loop](auto count) {
            const bench::stopwatch watch;
            loop(count);
            return watch.elapsed_ns();
          }});
}

void add_transfers(bench::suite& to) {
  add(to, "put_8_blocking", transfer_operations, gex_put_blocking);
  add(to, "put_8_nb", transfer_operations, gex_put_nb);
  add(to, "put_8_nbi", transfer_operations, gex_put_nbi);
  add(to, "put_8_nbi_flood", transfer_operations, gex_put_nbi_flood);
  add(to, "get_8_blocking", transfer_operations, gex_get_blocking);
  add(to, "get_8_nb", transfer_operations, gex_get_nb);
  add(to, "get_8_nbi", transfer_operations, gex_get_nbi);
  add(to, "get_8_nbi_flood", transfer_operations, gex_get_nbi_flood);
  add(to, "fetch_add_u64_nb", transfer_operations, gex_fetch_adds);
  add(to, "fetch_add_u64_nbi_flood", transfer_operations, gex_fetch_add_flood);
  for (const std::size_t bytes : {8, 64, 512, 4096, 65408}) {
    const std::uint64_t count = bytes <= 512 ? transfer_operations : transfer_operations / 20;
    const std::string size = std::to_string(bytes);
    add(to, "put_sized_" + size, count, [=](std::uint64_t n) { gex_put_sized(n, bytes); });
    add(to, "get_sized_" + size, count, [=](std::uint64_t n) { gex_get_sized(n, bytes); });
  }
}

void add_machine(bench::suite& to, bench::ping_pong& raw, const std::vector<std::byte>& payload) {
  if (gex_ranks() > 1) {
    add(to, "raw_ping_pong", round_trip_operations, [&](std::uint64_t count) {
      if (gex_rank() < 2) raw.play(count);
    });
  }
  add(to, "memcpy_64k", large_operations, [&](std::uint64_t count) {
    if (gex_rank() != 0) return;
    auto* const segment = static_cast<std::byte*>(gex_target_segment());
    for (std::uint64_t i = 0; i < count; ++i) {
      std::memcpy(segment + i % copy_places * payload.size(), payload.data(), payload.size());
      bench::touch_memory();
    }
  });
}

void add_messages(bench::suite& to) {
  add(to, "am_short_round_trip", round_trip_operations, gex_short_round_trips);
  add(to, "am_medium_64k_round_trip", large_operations / 2, gex_medium_round_trips);
  add(to, "barrier", round_trip_operations, gex_barriers);
  add(to, "am_short_flood", flood_operations, gex_short_flood);
  const auto add_flood = [&](const char* name, std::uint64_t operations, std::size_t bytes) {
    add(to, name, operations, [bytes](std::uint64_t count) { gex_medium_flood(count, bytes); });
  };
  add_flood("am_medium_8_flood", flood_operations, 8);
  add_flood("am_medium_4k_flood", flood_operations / 4, 4096);
  add_flood("am_medium_64k_flood", large_operations, gex_medium_bytes);
}

void measure(const bench::options& chosen, const std::string& implementation) {
  const std::vector<std::byte> payload(gex_medium_bytes, std::byte{1});
  auto* const lines = static_cast<std::byte*>(gex_first_segment()) + lines_offset;
  bench::ping_pong raw(*reinterpret_cast<bench::ping_pong_lines*>(lines), gex_rank() == 0);
  bench::suite suite({.benchmark = "gex_latency",
                      .implementation = implementation,
                      .rank = gex_rank(),
                      .ranks = gex_ranks()},
                     chosen, [] { gex_barriers(1); });
  add_transfers(suite);
  add_machine(suite, raw, payload);
  add_messages(suite);
  suite.compare({.numerator = "am_short_round_trip", .denominator = "raw_ping_pong"});
  suite.compare({.numerator = "barrier", .denominator = "raw_ping_pong"});
  suite.compare({.numerator = "am_medium_64k_flood", .denominator = "memcpy_64k"});
  suite.run();
  gex_barriers(1);
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  std::string implementation = "atoll-gex";
  bench::command_line line("The small operations of two ranks through the GASNet-EX C API", chosen);
  line.add_text("--implementation", implementation, "Name of the library, for the JSON file");
  line.parse(argc, argv);
  gex_join(&argc, &argv);
  if (chosen.pinned) bench::pin(gex_rank(), gex_ranks());
  int status = EXIT_FAILURE;
  try {
    measure(chosen, implementation);
    if (gex_all_arrived()) status = EXIT_SUCCESS;
    if (status != 0) std::fprintf(stderr, "bench_gex_latency: messages were missed\n");
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_gex_latency: %s\n", problem.what());
  }
  std::fflush(stdout);
  gex_leave(status);
}
