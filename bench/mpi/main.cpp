// SPDX-License-Identifier: BSD-3-Clause
//
// bench_mpi_<library>: the loops of the other benchmarks for MPI, compiled once for each MPI that
// is installed. It is started by that library's mpirun; bench/compare.py does it, and sets the
// figures beside ours.
#include <bench/atomics/cases.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/mpi/cases.hpp>
#include <bench/strided/shapes.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

constexpr std::size_t small_bytes = 4096;
constexpr std::size_t largest_bytes = std::size_t{64} << 20;
constexpr std::size_t cache_bytes = std::size_t{32} << 20;
constexpr std::size_t quick_bytes = std::size_t{1} << 20;
constexpr std::size_t collective_bytes = std::size_t{1} << 20;
static_assert(bench::atomic_area_bytes <= small_bytes);
constexpr std::size_t quick_collective_bytes = std::size_t{64} << 10;

void add_barriers(bench::suite& to, const bench::mpi_world& world) {
  to.add({.name = "barrier",
          .operations = world.ranks() <= 2 ? 2'000u : std::max(4u, 200u / world.ranks()),
          .run = [&world](std::uint64_t count) {
            return bench::time_of(count, [&world] { world.barrier(); });
          }});
}

void measure(const bench::mpi_world& world, const std::string& what, const bench::options& chosen) {
  const bool bandwidth = what == "bandwidth";
  const std::size_t most_bytes = chosen.quick ? quick_bytes : largest_bytes;
  std::size_t area_bytes = small_bytes;
  if (bandwidth) area_bytes = 2 * std::max(most_bytes, chosen.quick ? 0 : cache_bytes);
  if (what == "strided") area_bytes = bench::area_doubles * sizeof(double);
  const bench::mpi_window window(area_bytes);
  bench::suite suite({.benchmark = what,
                      .implementation = world.library(),
                      .rank = world.rank(),
                      .ranks = world.ranks()},
                     chosen, [&] { world.barrier(); });
  if (what == "latency") bench::add_mpi_latency(suite, world, window);
  if (bandwidth) bench::add_mpi_bandwidth(suite, world, window, most_bytes, area_bytes);
  if (what == "strided") bench::add_mpi_strided(suite, world, window);
  std::function<bool()> is_right;
  if (what == "atomics") is_right = bench::add_mpi_atomics(suite, world, window);
  std::shared_ptr<void> kept;
  if (what == "collectives") {
    kept = bench::add_mpi_collectives(suite, world,
                                      chosen.quick ? quick_collective_bytes : collective_bytes);
  }
  if (what == "latency" || what == "barrier") add_barriers(suite, world);
  suite.run();
  if (is_right && !is_right()) throw std::runtime_error("operations were lost");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App line("The benchmarks of Atoll, for MPI");
  bench::options chosen;
  std::string what = "latency";
  bench::add_options(line, chosen);
  line.add_option("benchmark", what, "latency, bandwidth, barrier, strided, atomics or collectives")
      ->check(
          CLI::IsMember({"latency", "bandwidth", "barrier", "strided", "atomics", "collectives"}));
  CLI11_PARSE(line, argc, argv);
  const bench::mpi_world world(argc, argv);
  if (chosen.pinned) bench::pin(world.rank(), world.ranks());
  try {
    measure(world, what, chosen);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_mpi: %s\n", problem.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  return EXIT_SUCCESS;
}
