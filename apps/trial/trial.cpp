// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the rounds. Rank 0 takes the time, from the barrier when all are ready to the barrier when
// all are done. Each round begins with a different variant, so that none always follows the same
// one.
#include <apps/trial/median.hpp>
#include <apps/trial/trial.hpp>
#include <atoll/base/clock.hpp>

#include <algorithm>
#include <cmath>

namespace trial {
namespace {

constexpr double seconds_max = 60;  // no further round begins

double seconds_since(std::int64_t start_ns) {
  return static_cast<double>(atl::now_ns() - start_ns) * 1e-9;
}

double seconds_of(group& ranks, variant& each) {
  ranks.barrier();
  const std::int64_t start_ns = atl::now_ns();
  each.run();
  ranks.barrier();
  return seconds_since(start_ns);
}

void check_error(group& ranks, double error, figure& result) {
  // A NaN compares false with everything, so it must become a large number.
  const double greatest = ranks.greatest(std::isfinite(error) ? error : 1e300);
  result.error = std::max(result.error, greatest);
  result.right = result.right && greatest <= result.done.error_max;
}

}  // namespace

bool outcome::right() const {
  return std::all_of(figures.begin(), figures.end(), [](const figure& each) { return each.right; });
}

outcome run_rounds(group& ranks, const variant_list& variants, const work& planned,
                   const options& chosen, const progress& show_progress) {
  outcome result{.ranks = ranks.size(), .rounds = 0, .figures = {}};
  for (const auto& each : variants) {
    show_progress("checking " + std::string(each->name()));
    const task& done = planned.task_of(result.figures.size());
    result.figures.push_back({.name = std::string(each->name()), .done = done});
    check_error(ranks, each->rehearse(ranks), result.figures.back());
  }
  std::vector<std::vector<double>> seconds(variants.size());
  const std::int64_t start_ns = atl::now_ns();
  for (double passed = 0; result.rounds < chosen.rounds && passed < seconds_max; ++result.rounds) {
    show_progress("round " + std::to_string(result.rounds + 1) + " of " +
                  std::to_string(chosen.rounds));
    for (std::size_t i = 0; i < variants.size(); ++i) {
      const std::size_t turn = (i + result.rounds) % variants.size();
      variants[turn]->prepare();
      seconds[turn].push_back(seconds_of(ranks, *variants[turn]));
      check_error(ranks, variants[turn]->error(), result.figures[turn]);
    }
    passed = ranks.greatest(seconds_since(start_ns));
  }
  for (std::size_t i = 0; i < variants.size(); ++i) {
    figure& now = result.figures[i];
    now.seconds = median(seconds[i]);
    for (double& each : seconds[i]) each = std::abs(each - now.seconds);
    now.mad = median(seconds[i]);
  }
  return result;
}

}  // namespace trial
