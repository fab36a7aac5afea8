// SPDX-License-Identifier: BSD-3-Clause
//
// bench_latency: the small operations between two ranks of a host, each beside the raw machine in
// the same rounds. Run it under `atoll run -n 2`. Where the ranks share no memory it measures only
// messages; bench_network measures the rest.
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/latency/messages.hpp>
#include <bench/latency/transfers.hpp>

#include <atoll/core/rma/rma.hpp>

#include <cstdio>

namespace {

constexpr std::size_t transfer_bytes = 4096;

bool measure(atl::runtime& job, const bench::options& chosen) {
  const bench::rank_pair pair(job, transfer_bytes + bench::messages::area_bytes);
  bench::messages messages(pair, pair.area() + transfer_bytes);
  bench::suite suite(bench::title_of("latency", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  if (messages.over_memory()) bench::add_transfer_cases(suite, pair);
  messages.add_cases(suite);
  if (messages.over_memory()) messages.add_raw_cases(suite);
  suite.run();
  job.world().barrier();
  if (messages.all_arrived()) return true;
  std::fprintf(stderr, "bench_latency: rank %u missed messages\n", job.rank());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  bench::command_line line(
      "Latency of 8-byte puts and gets, active messages and the barrier of 2 ranks", chosen);
  line.parse(argc, argv);
  return bench::job_main("bench_latency", chosen, measure);
}
