// SPDX-License-Identifier: BSD-3-Clause
//
// fft3d on Atoll.
#include <apps/fft3d/transform.hpp>
#include <apps/trial/job.hpp>

#include <optional>

int main(int argc, char** argv) {
  fft3d::program program(fft3d::job_variants());
  std::optional<fft3d::problem> problem;  // lives longer than the variants
  return trial::run_in_job(
      argc, argv, program,
      [&](atl::team& world, trial::group& ranks, const std::vector<std::string>& names) {
        problem.emplace(ranks, program.chosen().size);
        return fft3d::make_job_variants(world, *problem, program.chosen().planning, names);
      });
}
