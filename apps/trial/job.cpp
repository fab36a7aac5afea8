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

#include <array>
#include <iostream>

namespace trial {
namespace {

constexpr std::uint64_t rounding = std::uint64_t{8} << 20;  // the heap grows in steps

void refuse(std::uint64_t needed, const char* limit_text, std::uint64_t limit) {
  throw atl::error("memory",
                   atl::text(atl::bytes_text(needed), " are needed and ", limit_text, " ",
                             atl::bytes_text(limit)),
                   "use a smaller problem or a machine with more memory");
}

void check_memory(atl::team& world, const work& given) {
  const auto& limits = world.owner().memory_layout();
  std::array<std::uint64_t, 4> available{limits.heap_limit, limits.host_limit,
                                         atl::read_available_memory(),
                                         world.owner().neighbourhood_count()};
  atl::coll::broadcast(world, 0, available.data(), available.data(), sizeof available);
  const std::uint64_t each = given.bytes_of_rank + rounding;
  const std::uint64_t mapped = each * available[3];
  if (each > available[0]) refuse(each, "the heap of a rank may have", available[0]);
  if (mapped > available[1]) refuse(mapped, "all heaps of a host may have", available[1]);
  if (given.bytes_in_all > available[2]) {
    refuse(given.bytes_in_all, "the machine has now", available[2]);
  }
}

// Collective, within the scope of the runtime, where an error ends all ranks in order.
int plan_and_run(atl::team& world, program& given, const options& chosen, const job_variants& make,
                 const job_afterwards& afterwards) {
  team_group ranks(world);
  platform used{
      .implementation = "atoll",
      .check_memory = [&](const work& planned) { check_memory(world, planned); },
      .make = [&](const std::vector<std::string>& names) { return make(world, ranks, names); },
      .afterwards = {}};
  if (afterwards) {
    used.afterwards = [&](const variant_list& variants) { afterwards(world, variants); };
  }
  return run_program(ranks, given, chosen, used);
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

int run_in_job(int argc, char** argv, program& given, const job_variants& make,
               const job_afterwards& afterwards) {
  try {
    atl::runtime job;
    const bool first = job.rank() == 0;
    try {
      atl::coll::open(job);
    } catch (const atl::error& refusal) {  // of a table of collectives, on all ranks
      if (first) std::cerr << given.app() << ": " << refusal.what() << '\n';
      return refused;
    }
    options chosen;
    if (const auto end = parse(argc, argv, given, first, chosen)) return *end;
    return plan_and_run(job.world(), given, chosen, make, afterwards);
  } catch (const atl::error& refusal) {
    std::cerr << given.app() << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace trial
