// SPDX-License-Identifier: BSD-3-Clause
//
// gups: joins the job, runs what the command line asks for, reports the results, and returns an
// exit code that says whether all were right. All ranks refuse the same command lines, and rank 0
// says why before any of them leaves, because the launcher ends a job when its first rank has
// failed.
#include <apps/gups/options.hpp>
#include <apps/gups/report.hpp>
#include <apps/gups/run.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/system/memory_limits.hpp>
#include <upcxx/upcxx.hpp>

#include <shmem.h>

#include <cstdint>
#include <iostream>

namespace gups {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

/// The memory that all ranks may use together: the number of ranks times the memory per rank of the
/// host that has the least per rank.
std::uint64_t memory_for_all() {
  const auto each =
      atl::read_available_memory() / static_cast<std::uint64_t>(upcxx::local_team().rank_n());
  const std::uint64_t least = upcxx::reduce_all(each, upcxx::op_fast_min).wait();
  return least * static_cast<std::uint64_t>(upcxx::rank_n());
}

int run(const options& chosen, bool first) {
  try {
    check_memory(chosen, memory_for_all());
    const results outcome = run_all(chosen);
    const auto ranks = static_cast<unsigned>(upcxx::rank_n());
    if (first) print(chosen, outcome, ranks);
    if (first && !chosen.json_path.empty()) write_json(chosen, outcome, ranks);
    return right(outcome) ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace gups

int main(int argc, char** argv) {
  upcxx::init();
  shmem_init();  // joins the same runtime: PE and rank are one number
  const bool first = upcxx::rank_me() == 0;
  gups::options chosen;
  int exit_code = 0;
  if (gups::parse(argc, argv, first, chosen, exit_code)) exit_code = gups::run(chosen, first);
  std::cout.flush();
  shmem_finalize();
  upcxx::finalize();  // with a barrier
  return exit_code;
}
