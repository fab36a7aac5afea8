// SPDX-License-Identifier: BSD-3-Clause
//
// stencil2d on Atoll: joins the job, compares the variants on all ranks, or in a series on the
// first 1, 2, 4, ... of them while the others sleep, and draws the field when asked. Every rank
// reaches the same verdict from the same sums, so all return the same exit code.
#include <apps/stencil2d/device_variant.hpp>
#include <apps/stencil2d/job_group.hpp>
#include <apps/stencil2d/options.hpp>
#include <apps/stencil2d/pictures.hpp>
#include <apps/stencil2d/report.hpp>
#include <atoll/base/error.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/team_creation.hpp>

#include <iostream>
#include <optional>

namespace stencil2d {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

atl::memory::memory_kind kind_of(const options& chosen) {
  using atl::memory::memory_kind;
  if (chosen.memory == "host") return memory_kind::host;
  return chosen.memory == "hip" ? memory_kind::hip : memory_kind::cuda;
}

/// The outcome of the first `ranks`; nothing on the others.
std::optional<outcome> run_on(atl::runtime& job, const options& chosen, unsigned ranks,
                              const report& out) {
  const bool takes_part = job.rank() < ranks;
  auto team = atl::coll::split_team(job.world(), takes_part ? std::optional<int>(0) : std::nullopt,
                                    static_cast<int>(job.rank()));
  std::optional<outcome> result;
  if (takes_part) {
    const setting given = setting_for(chosen, job.rank(), ranks, job.size());
    job_group group(*team, kind_of(chosen));
    out.heading(given, ranks);
    result = compare_variants(group, given, chosen.variants, chosen.rounds);
    out.table(*result);
  }
  if (takes_part) atl::coll::destroy_team(std::move(team));
  job.world().barrier();
  return result;
}

/// Refuses impossible options before anything is done; the same on all ranks.
void check(const options& chosen, atl::runtime& job, bool first) {
  for (const unsigned count : counts_for(chosen, job.size()))
    check_memory(job.world(), setting_for(chosen, 0, count, job.size()));
  check_pictures(chosen, job.world(), first);
  if (chosen.memory != "host" && chosen.growing != series::single) {
    throw atl::error("--memory " + chosen.memory + " with --series",
                     "memory of devices is shared by all ranks", "leave out one of the two");
  }
  if (chosen.memory == "host" && chosen.variants == std::vector<std::string>{"device"}) {
    throw atl::error("--variants device", "the fields are in host memory",
                     "name a kind by --memory");
  }
  if (chosen.memory != "host") check_device(job, kind_of(chosen));
}

int run(atl::runtime& job, const options& chosen, const program_traits& program) {
  const bool first = job.rank() == 0;
  try {
    check(chosen, job, first);
    const report out(chosen, program, first);
    std::vector<outcome> outcomes;
    bool right = true;
    for (const unsigned count : counts_for(chosen, job.size())) {
      if (auto result = run_on(job, chosen, count, out)) {
        right = right && result->right;
        outcomes.push_back(std::move(*result));
      }
    }
    if (first) out.growth(outcomes);
    if (first) out.verdict(outcomes);
    if (!chosen.picture_folder.empty()) draw(chosen, job.world(), first);
    // Written last, when no rank waits for rank 0, because writing may fail.
    if (first && !chosen.json_path.empty()) write_json(chosen, "atoll", outcomes);
    return right ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << program.name << ": " << refusal.what() << '\n';
    return refused;
  }
}

// Rank 0 prints everything before any rank leaves: the job ends with its first rank that fails, and
// the end of the runtime is a barrier.
int join_and_run(int argc, char** argv, const program_traits& program) {
  atl::runtime job;
  const bool first = job.rank() == 0;
  try {
    atl::coll::open(job);
  } catch (const atl::error& refusal) {  // of a table of collectives, on all ranks
    if (first) std::cerr << program.name << ": " << refusal.what() << '\n';
    return refused;
  }
  options chosen;
  if (const auto end = parse(argc, argv, program, first, chosen)) return *end;
  return run(job, chosen, program);
}

}  // namespace
}  // namespace stencil2d

int main(int argc, char** argv) {
  const stencil2d::program_traits program{"stencil2d", stencil2d::job_variants(), true};
  try {
    return stencil2d::join_and_run(argc, argv, program);
  } catch (const atl::error& refusal) {
    std::cerr << "stencil2d: " << refusal.what() << '\n';
    return stencil2d::refused;
  }
}
