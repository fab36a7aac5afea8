// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program on the core. All ranks refuse the same options, and rank 0 says why before any
// rank leaves: the job ends with its first rank that fails, and the end of the runtime is a
// barrier.
#include <apps/trial/job.hpp>
#include <apps/trial/options.hpp>
#include <apps/trial/run.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_limits.hpp>

#include <algorithm>
#include <iostream>

namespace trial {
namespace {

memory_share memory_of(const atl::runtime& job) {
  const auto& limits = job.memory_layout();
  const std::uint64_t host_ranks = job.hosts().ranks_of(job.hosts().host_of(job.rank())).count;
  return {.heap = std::min<std::uint64_t>(limits.heap_limit,
                                          limits.host_limit / job.neighbourhood_count()),
          .all = atl::read_available_memory() / host_ranks};
}

// Collective, within the scope of the runtime, where an error ends all ranks in order.
int plan_and_run(atl::team& world, program& program, const options& chosen,
                 const job_variants& make, const final_work& afterwards) {
  team_group ranks(world);
  const platform used{
      .implementation = "atoll",
      .memory = [&] { return memory_of(world.owner()); },
      .make = [&](const std::vector<std::string>& names) { return make(world, ranks, names); },
      .afterwards = afterwards};
  return run_program(ranks, program, chosen, used);
}

}  // namespace

void team_group::add(std::span<double> numbers) {
  const auto sum = atl::coll::built_in(atl::coll::reduce_operation::add, atl::data_type::f64);
  atl::coll::allreduce(members_, numbers.data(), numbers.data(), numbers.size(), sum);
}

double team_group::greatest(double number) {
  const auto most = atl::coll::built_in(atl::coll::reduce_operation::max, atl::data_type::f64);
  atl::coll::allreduce(members_, &number, &number, 1, most);
  return number;
}

void team_group::broadcast(std::span<double> numbers) {
  atl::coll::broadcast(members_, 0, numbers.data(), numbers.data(), numbers.size_bytes());
}

int run_in_job(int argc, char** argv, program& program, const job_variants& make,
               const final_work& afterwards) {
  try {
    atl::runtime job;
    const bool first = job.rank() == 0;
    try {
      atl::coll::open(job);
    } catch (const atl::error& refusal) {  // of a table of collectives, on all ranks
      if (first) std::cerr << program.app() << ": " << refusal.what() << '\n';
      return refused;
    }
    options chosen;
    if (const auto end = parse(argc, argv, program, first, chosen)) return *end;
    return plan_and_run(job.world(), program, chosen, make, afterwards);
  } catch (const atl::error& refusal) {
    std::cerr << program.app() << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace trial
