// SPDX-License-Identifier: BSD-3-Clause
//
// bench_mpi_<library>: the loops of the other benchmarks for MPI, compiled once for each MPI that
// is installed. That library's mpirun starts it; `atoll bench` does this and shows its figures
// beside ours.
#include <bench/atomics/cases.hpp>
#include <bench/curves/options.hpp>
#include <bench/harness/command_line.hpp>
#include <bench/harness/pin.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/mpi/cases.hpp>
#include <bench/strided/shapes.hpp>
#include <bench/threads/cases.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

constexpr std::size_t small_bytes = 4096;
constexpr std::size_t largest_bytes = std::size_t{64} << 20;
constexpr std::size_t cache_bytes = std::size_t{32} << 20;
constexpr std::size_t quick_bytes = std::size_t{1} << 20;
constexpr std::size_t collective_bytes = std::size_t{4} << 20;
static_assert(bench::atomic_area_bytes <= small_bytes);
constexpr std::size_t quick_collective_bytes = std::size_t{64} << 10;

struct asked_for {
  std::string benchmark = "latency";
  bench::options chosen = {};
  bench::curve_options curves = {};
  unsigned threads = 2;

  /// Open MPI cannot allocate a window in some networks in which its collectives run.
  bool needs_window() const {
    return benchmark != "collectives" && benchmark != "barrier" && benchmark != "curves";
  }
  std::size_t most_bytes() const { return chosen.quick ? quick_bytes : largest_bytes; }
  std::size_t area_bytes() const {
    if (benchmark == "bandwidth") return 2 * std::max(most_bytes(), chosen.quick ? 0 : cache_bytes);
    if (benchmark == "threads") return bench::thread_area_bytes;
    if (benchmark == "strided") return bench::area_doubles * sizeof(double);
    return small_bytes;
  }
};

void add_barriers(bench::suite& to, const bench::mpi_world& world) {
  to.add({.name = "barrier",
          .operations = world.ranks() <= 2 ? 2'000u : std::max(4u, 200u / world.ranks()),
          .run = [&world](std::uint64_t count) {
            return bench::time_of(count, [&world] { world.barrier(); });
          }});
}

/// Adds the cases that were asked for. The returned function says after the suite whether all
/// results were right, and keeps alive what the cases use. The window is null where none is needed.
std::function<bool()> add_cases(bench::suite& to, const bench::mpi_world& world,
                                const asked_for& options, const bench::mpi_window* window) {
  const std::string& name = options.benchmark;
  std::function<bool()> is_right = [] { return true; };
  if (name == "latency") bench::add_mpi_latency(to, world, *window);
  if (name == "bandwidth") {
    bench::add_mpi_bandwidth(to, world, *window, options.most_bytes(), options.area_bytes());
  }
  if (name == "strided") bench::add_mpi_strided(to, world, *window);
  if (name == "atomics") is_right = bench::add_mpi_atomics(to, world, *window);
  if (name == "curves") {
    is_right = bench::add_mpi_curves(to, world, options.curves.set,
                                     options.curves.sizes_to_measure(options.chosen.quick));
  }
  if (name == "collectives") {
    const auto kept = bench::add_mpi_collectives(
        to, world, options.chosen.quick ? quick_collective_bytes : collective_bytes);
    is_right = [kept] { return true; };
  }
  if (name == "threads") {
    if (!world.has_threads()) throw std::runtime_error("this MPI has no MPI_THREAD_MULTIPLE");
    if (world.ranks() < 2) throw std::runtime_error("threads are measured between two ranks");
    const auto kept = bench::add_mpi_threads(to, world, *window, options.threads);
    is_right = [kept] { return true; };
  }
  if (name == "latency" || name == "barrier") add_barriers(to, world);
  return is_right;
}

void measure(const bench::mpi_world& world, const asked_for& options) {
  std::optional<bench::mpi_window> window;
  if (options.needs_window()) window.emplace(options.area_bytes());
  bench::suite suite(
      {.benchmark = options.benchmark == "curves" ? options.curves.set : options.benchmark,
       .implementation = world.library(),
       .rank = world.rank(),
       .ranks = world.ranks()},
      options.chosen, [&] { world.barrier(); });
  suite.fit([](std::uint64_t value) {
    MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    return value;
  });
  const std::function<bool()> is_right =
      add_cases(suite, world, options, window ? &*window : nullptr);
  suite.run();
  if (!is_right()) throw std::runtime_error("operations were lost or wrong");
}

}  // namespace

int main(int argc, char** argv) {
  asked_for options;
  bench::command_line line("The benchmarks of Atoll, for MPI", options.chosen);
  bench::add_curve_options(line, options.curves);
  line.add_choice("benchmark", options.benchmark, "which; curves is followed by its set",
                  {"latency", "bandwidth", "barrier", "strided", "atomics", "collectives", "curves",
                   "threads"});
  line.add_number("--threads", options.threads, "threads of each rank, of threads (default 2)", 1u,
                  bench::threads_max);
  line.add_choice("set", options.curves.set, "latency, bandwidth or rate, of curves",
                  {"latency", "bandwidth", "rate"});
  line.parse(argc, argv);
  const bool threads = options.benchmark == "threads";
  const bench::mpi_world world(argc, argv, threads);
  if (options.chosen.pinned && !threads) bench::pin(world.rank(), world.ranks());
  try {
    measure(world, options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "bench_mpi: %s\n", problem.what());
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  return EXIT_SUCCESS;
}
