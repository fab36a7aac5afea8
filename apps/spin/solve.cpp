// SPDX-License-Identifier: BSD-3-Clause
//
// Solves and measures. Times are those of the iterations alone; sums over ranks follow them.
#include <apps/spin/exact.hpp>
#include <apps/spin/hamiltonian.hpp>
#include <apps/spin/solve.hpp>
#include <atoll/base/clock.hpp>

namespace spin {

outcome search(const options& chosen, matrix& h, reducer& sums, iterated_vectors vectors,
               report& out) {
  lanczos steps(h, sums, vectors.current, vectors.other);
  outcome result{.exact = exact_ground_energy(chosen.model), .fixed_steps = chosen.steps != 0};
  const auto waited_ns = [&] { return h.waited_ns() + sums.waited_ns(); };
  const unsigned most = result.fixed_steps ? chosen.steps : chosen.iterations;
  sums.sum(0);  // all begin together
  const std::int64_t waited_before_ns = waited_ns();
  const std::int64_t start_ns = atl::now_ns();
  while ((result.fixed_steps || !result.converged) && result.last.iteration < most) {
    result.last = steps.step();
    result.converged = result.last.residual <= chosen.tolerance;
    out.progress(result.last);
  }
  result.time_ns = atl::now_ns() - start_ns;
  h.settle();
  result.waited_ns = sums.sum(static_cast<double>(waited_ns() - waited_before_ns));
  result.moved_bytes = sums.sum(static_cast<double>(h.moved_bytes()));
  return result;
}

outcome solve(const options& chosen, const division& plan, const solver_resources& resources,
              report& out) {
  const local_operator local(chosen.model, plan.states);
  hamiltonian h(local, resources.partners);
  fill_start(chosen.model, plan.states, chosen.seed, resources.current);
  outcome result = search(chosen, h, resources.sums, {resources.current, resources.other}, out);
  result.ranks = 1U << plan.exchange.partners;
  return result;
}

}  // namespace spin
