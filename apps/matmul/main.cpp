// SPDX-License-Identifier: BSD-3-Clause
//
// matmul on Atoll.
#include <apps/matmul/summa.hpp>
#include <apps/trial/job.hpp>

#include <optional>

int main(int argc, char** argv) {
  matmul::program program(matmul::job_variants(), matmul::job_measures());
  std::optional<matmul::problem> given;  // lives longer than the variants
  return trial::run_in_job(
      argc, argv, program,
      [&](atl::team& world, trial::group& everybody, const std::vector<std::string>& names) {
        given.emplace(everybody, program.given().n);
        return matmul::make_job_variants(world, *given, program.given().panel, names);
      });
}
