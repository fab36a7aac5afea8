// SPDX-License-Identifier: BSD-3-Clause
//
// Times are those of the iterations alone; sums over ranks are made after them.
#include <apps/spin/exact.hpp>
#include <apps/spin/solve.hpp>
#include <atoll/base/clock.hpp>

namespace spin {

outcome solve(const options& chosen, const division& plan, const means& resources, report& out) {
  const local_operator local(chosen.model, plan.states);
  hamiltonian h(local, resources.partners);
  fill_start(chosen.model, plan.states, chosen.seed, resources.current);
  lanczos search(h, resources.sums, local, resources.current, resources.other);
  outcome result{.exact = exact_ground_energy(chosen.model),
                 .fixed_steps = chosen.steps != 0,
                 .ranks = 1U << plan.exchange.partners};
  const auto waited_ns = [&] {
    return resources.partners.waited_ns() + resources.sums.waited_ns();
  };
  const unsigned most = result.fixed_steps ? chosen.steps : chosen.iterations;
  resources.sums.sum(0);  // all begin together
  const std::int64_t waited_before_ns = waited_ns();
  const std::int64_t start_ns = atl::now_ns();
  while ((result.fixed_steps || !result.converged) && result.last.iteration < most) {
    result.last = search.step();
    result.converged = result.last.residual <= chosen.tolerance;
    out.progress(result.last);
  }
  result.time_ns = atl::now_ns() - start_ns;
  resources.partners.settle();
  const auto waited_here_ns = static_cast<double>(waited_ns() - waited_before_ns);
  result.waited_ns = resources.sums.sum(waited_here_ns);
  result.moved_bytes = resources.sums.sum(static_cast<double>(resources.partners.moved_bytes()));
  return result;
}

}  // namespace spin
