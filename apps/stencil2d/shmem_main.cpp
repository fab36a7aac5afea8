// SPDX-License-Identifier: BSD-3-Clause
//
// stencil2d_shmem: the variants in OpenSHMEM, of the same kernel, with the same options and the
// same report.
#include <apps/stencil2d/options.hpp>
#include <apps/stencil2d/report.hpp>
#include <apps/stencil2d/shmem_group.hpp>
#include <atoll/base/error.hpp>

#include <iostream>
#include <optional>

namespace stencil2d {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

/// The outcome of the first `count` PEs; nothing on the others. Collective over the job.
std::optional<outcome> run_on(const options& chosen, unsigned count, const report& out) {
  const auto total = static_cast<unsigned>(shmem_n_pes());
  const symmetric_area area(setting_for(chosen, 0, count, total));
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, static_cast<int>(count), nullptr, 0, &team);
  std::optional<outcome> result;
  if (team != SHMEM_TEAM_INVALID) {
    shmem_group group(team, area);
    const setting given = setting_for(chosen, group.rank(), count, total);
    out.heading(given, count);
    result = compare_variants(group, given, chosen.variants, chosen.rounds);
    out.table(*result);
    shmem_team_destroy(team);
  }
  shmem_barrier_all();
  return result;
}

int run(const options& chosen, const program_traits& program) {
  const auto total = static_cast<unsigned>(shmem_n_pes());
  const bool first = shmem_my_pe() == 0;
  const report out(chosen, program, first);
  std::vector<outcome> outcomes;
  bool right = true;
  for (const unsigned count : counts_for(chosen, total)) setting_for(chosen, 0, count, total);
  for (const unsigned count : counts_for(chosen, total)) {
    if (auto result = run_on(chosen, count, out)) {
      right = right && result->right;
      outcomes.push_back(std::move(*result));
    }
  }
  if (first) {
    out.growth(outcomes);
    out.verdict(outcomes);
    if (!chosen.json_path.empty()) write_json(chosen, "atoll-shmem", outcomes);
  }
  return right ? 0 : wrong_answer;
}

int parse_and_run(int argc, char** argv) {
  const bool first = shmem_my_pe() == 0;
  const program_traits program{"stencil2d_shmem", shmem_variants(), false};
  options chosen;
  try {
    if (const auto end = parse(argc, argv, program, first, chosen)) return *end;
    return run(chosen, program);
  } catch (const atl::error& refusal) {
    if (first) std::cerr << program.name << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace stencil2d

int main(int argc, char** argv) {
  shmem_init();
  const int exit_code = stencil2d::parse_and_run(argc, argv);
  std::cout.flush();
  shmem_finalize();
  return exit_code;
}
