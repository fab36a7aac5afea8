// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the variants. A round runs all variants before the next one begins, so that a change of the
// machine affects all of them.
#include <apps/spin/comparison.hpp>

namespace spin {
namespace {

bool same_bits(const lanczos_step& a, const lanczos_step& b) {
  return a.iteration == b.iteration && a.energy == b.energy && a.residual == b.residual;
}

std::vector<trial> chosen_trials(const options& chosen, const implementation& backend) {
  std::vector<trial> trials;
  for (const std::string& name : backend.variants) {
    const bool runs = chosen.variant == "all" || chosen.variant == name ||
                      (chosen.variant.empty() && trials.empty());
    if (runs) trials.push_back({.name = name, .rounds = {}});
  }
  return trials;
}

}  // namespace

bool run_variants(const options& chosen, const division& plan, const implementation& backend,
                  bool first) {
  std::vector<trial> trials = chosen_trials(chosen, backend);
  const bool is_single = trials.size() == 1 && chosen.rounds == 1;
  report out(chosen, first);
  out.heading(plan, backend.name + (is_single ? ", " + trials.front().name : ""));
  report silent(chosen, false);
  if (is_single) out.columns();
  for (unsigned round = 0; round < chosen.rounds; ++round)
    for (trial& each : trials)
      each.rounds.push_back(backend.run(each.name, is_single ? out : silent));

  bool right = true;
  const outcome& reference = trials.front().rounds.front();
  for (trial& each : trials) {
    for (const outcome& result : each.rounds) {
      each.same_bits = each.same_bits && same_bits(result.last, reference.last);
      right = right && result.right() && each.same_bits;
    }
  }
  if (first && is_single) out.summary(reference);
  if (first && !is_single) out.table(trials);
  if (first && !chosen.json_path.empty()) write_json(chosen, backend.name, trials);
  return right;
}

}  // namespace spin
