// SPDX-License-Identifier: BSD-3-Clause
//
// bench_barrier: the barrier of all ranks, at as many ranks as it is started with, beside the raw
// ping-pong of ranks 0 and 1. With more ranks than cores the time is mostly that of switching ranks
// on the cores. A program does something between barriers, so there is also a case with a little
// work, of different length on each rank.
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/harness/rank_pair.hpp>
#include <bench/harness/stopwatch.hpp>
#include <bench/machine/ping_pong.hpp>

#include <atoll/core/job/runtime.hpp>

#include <cstdint>

namespace {

constexpr std::uint64_t operations_few = 4'000;  // where every rank can have a core
constexpr std::uint64_t operations_many = 200;
constexpr std::uint64_t work_steps = 500;  // about a microsecond per rank number

/// Keeps the core busy, longer on some ranks than on others.
void work(atl::rank_id rank) {
  for (std::uint64_t i = 0; i < work_steps * (1 + rank % 4); ++i) bench::keep(i);
}

bool measure(atl::runtime& job, const bench::options& chosen) {
  const bench::rank_pair pair(job, sizeof(bench::ping_pong_lines));
  auto* const lines = pair.view(0, pair.area());
  bench::ping_pong raw(*reinterpret_cast<bench::ping_pong_lines*>(lines), pair.acts());
  bench::suite suite(bench::title_of("barrier", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  const std::uint64_t count = job.size() <= 2 ? operations_few : operations_many;
  if (job.size() == 2) {
    suite.add(
        {.name = "raw_ping_pong", .operations = count, .run = [&](auto n) { return raw.play(n); }});
  }
  suite.add({.name = "barrier", .operations = count, .run = [&](auto n) {
               return bench::time_of(n, [&] { job.world().barrier(); });
             }});
  suite.add({.name = "barrier_with_work", .operations = count, .run = [&](auto n) {
               return bench::time_of(n, [&] {
                 work(job.rank());
                 job.world().barrier();
               });
             }});
  suite.compare({.numerator = "barrier", .denominator = "raw_ping_pong", .at_most = 1.2});
  suite.run();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  bench::command_line line("The barrier of all ranks", chosen);
  line.parse(argc, argv);
  return bench::job_main("bench_barrier", chosen, measure);
}
