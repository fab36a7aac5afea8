// SPDX-License-Identifier: BSD-3-Clause
//
// spin: joins the job, divides the states, iterates to convergence, checks the energy. Every rank
// computes the same energies from the same sums, so all agree on when to stop and on the exit code.
#include <apps/spin/exact.hpp>
#include <apps/spin/lanczos.hpp>
#include <apps/spin/options.hpp>
#include <apps/spin/report.hpp>
#include <atoll/base/clock.hpp>
#include <atoll/base/error.hpp>
#include <atoll/core/runtime.hpp>

#include <iostream>

namespace spin {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

outcome iterate(const options& chosen, atl::runtime& job, const division& plan, report& out) {
  shared_area area(job, plan.bytes);
  double* const current = area.take<double>(plan.mine.count());
  double* const other = area.take<double>(plan.mine.count());
  exchange partners(job, area, plan.exchange);
  reducer sums(job, area);
  job.world().barrier();  // from here on peers write to the area

  const local_operator local(chosen.model, plan.mine);
  hamiltonian h(local, partners);
  fill_start(chosen.model, plan.mine, chosen.seed, current);
  lanczos search(h, sums, local, current, other);
  outcome result{.exact = exact_ground_energy(chosen.model), .ranks = job.size()};
  const auto waited_ns = [&] { return partners.waited_ns() + sums.waited_ns(); };
  const std::int64_t waited_before_ns = waited_ns();
  const std::int64_t start_ns = atl::now_ns();
  while (!result.converged && result.last.iteration < chosen.iterations) {
    result.last = search.step();
    result.converged = result.last.residual <= chosen.tolerance;
    out.progress(result.last);
  }
  result.time_ns = atl::now_ns() - start_ns;
  const auto waited_here_ns = static_cast<double>(waited_ns() - waited_before_ns);
  result.waited_ns = sums.sum(waited_here_ns);
  result.put_bytes = sums.sum(static_cast<double>(partners.put_bytes()));
  job.world().barrier();  // nobody writes to the area any more
  return result;
}

int run(const options& chosen, bool first) {
  atl::runtime job;
  try {
    const division plan = divide(chosen, job.rank(), job.size());
    check_memory(job, plan);
    report out(chosen, first);
    out.heading(plan, job.size(), best_kernels().name);
    const outcome result = iterate(chosen, job, plan, out);
    if (first) out.summary(result);
    if (first && !chosen.json_path.empty()) write_json(chosen, result);
    return result.right() ? 0 : wrong_answer;
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
    if (!spin::parse(argc, argv, first, chosen, exit_code)) return exit_code;
    return spin::run(chosen, first);
  } catch (const atl::error& refusal) {
    std::cerr << "spin: " << refusal.what() << '\n';
    return spin::refused;
  }
}
