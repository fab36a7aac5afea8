// SPDX-License-Identifier: BSD-3-Clause
//
// spin: joins the job, divides the states, and runs the chosen variants on Atoll. Every rank
// computes the same energies from the same sums, so all agree on when to stop and on the exit code.
#include <apps/spin/comparison.hpp>
#include <apps/spin/pgas/cells.hpp>
#include <apps/spin/pgas/memory.hpp>
#include <apps/spin/pgas/variants.hpp>
#include <apps/spin/solve.hpp>
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/settings.hpp>

#include <algorithm>
#include <iostream>

namespace spin {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const variant& each : variants()) names.emplace_back(each.name);
  return names;
}

outcome run_variant(const options& chosen, atl::runtime& job, division plan,
                    const variant& selected, report& out) {
  shared_area area(job, plan.bytes);
  double* const current = area.take<double>(plan.states.count());
  double* const other = area.take<double>(plan.states.count());
  const std::unique_ptr<exchange> partners = selected.make(job, area, plan.exchange);
  cells sums(job, area);
  job.world().barrier();  // from here on peers write to the area
  const outcome result = solve(chosen, plan, {*partners, sums, current, other}, out);
  job.world().barrier();  // no rank uses the area any more
  return result;
}

/// The memory that the largest of the chosen variants needs, vectors included.
std::size_t bytes_needed(const options& chosen, const division& plan, atl::rank_id ranks) {
  std::size_t most = 0;
  for (const variant& each : variants()) {
    const bool runs = chosen.variant == "all" || &each == &variant_named(chosen.variant);
    if (runs) most = std::max(most, each.bytes(plan.exchange));
  }
  const std::size_t vector = shared_area::bytes_of(plan.states.count(), sizeof(double));
  return 2 * vector + most + cells::bytes(ranks);
}

int run(const options& chosen, bool first) {
  atl::runtime job;
  try {
    division plan = divide(chosen, job.rank(), job.size());
    plan.bytes = bytes_needed(chosen, plan, job.size());
    check_memory(job, plan);
    const auto by_name = [&](const std::string& name, report& out) {
      return run_variant(chosen, job, plan, variant_named(name), out);
    };
    const implementation atoll{"atoll", variant_names(), by_name};
    return run_variants(chosen, plan, atoll, first) ? 0 : wrong_answer;
  } catch (const atl::error& refusal) {
    if (first) std::cerr << "spin: " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace spin

int main(int argc, char** argv) {
  try {
    const auto settings = atl::settings::from_environment();
    const auto rank = settings.text(atl::setting::rank);
    const bool first = rank.empty() || rank == "0";
    spin::options chosen;
    int exit_code = 0;
    const spin::program self{.variants = spin::variant_names(), .speaks = first};
    if (!spin::parse(argc, argv, self, chosen, exit_code)) return exit_code;
    return spin::run(chosen, first);
  } catch (const atl::error& refusal) {
    std::cerr << "spin: " << refusal.what() << '\n';
    return spin::refused;
  }
}
