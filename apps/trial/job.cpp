// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program on the core. All ranks refuse the same options, and rank 0 says why before any
// rank leaves: the job ends with its first rank that fails, and the end of the runtime is a
// barrier.
#include <apps/trial/job.hpp>
#include <apps/trial/options.hpp>
#include <apps/trial/report.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/memory_limits.hpp>

#include <array>
#include <iostream>

namespace trial {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;
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

std::vector<std::string> names_of(const program& given, const options& chosen) {
  return chosen.variants.empty() ? given.variants() : chosen.variants;
}

int run(atl::team& world, program& given, const options& chosen, const job_variants& make,
        const job_afterwards& afterwards) {
  const bool first = world.rank() == 0;
  try {
    const work planned = given.plan(world.size());
    check_memory(world, planned);
    team_group everybody(world);
    const variant_list variants = make(world, everybody, names_of(given, chosen));
    const outcome result = run_rounds(everybody, variants, planned, chosen,
                                      progress_on_terminal(first && !chosen.quiet));
    if (first) print(given.app(), planned, chosen, result);
    const bool is_written =
        !first || write_json_if_named(given.app(), "atoll", planned, chosen, result);
    if (afterwards && result.right()) afterwards(world, variants);
    if (!is_written) return refused;
    return result.right() ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << given.app() << ": " << refusal.what() << '\n';
    return refused;
  }
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
    atl::coll::open(job);
    options chosen;
    if (const auto end = parse(argc, argv, given, job.rank() == 0, chosen)) return *end;
    return run(job.world(), given, chosen, make, afterwards);
  } catch (const atl::error& refusal) {
    std::cerr << given.app() << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace trial
