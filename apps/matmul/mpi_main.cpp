// SPDX-License-Identifier: BSD-3-Clause
//
// matmul_mpi_<library>: ScaLAPACK's pdgemm, with matrices in square blocks of 64 and of 256, and
// SUMMA by MPI's broadcasts, blocking and one panel ahead. It uses the same local library, with one
// thread per rank.
#include <apps/matmul/mpi_summa.hpp>
#include <apps/matmul/options.hpp>
#include <apps/matmul/pdgemm.hpp>
#include <apps/trial/blas.hpp>
#include <apps/trial/mpi.hpp>

#include <optional>

namespace matmul {
namespace {

int run(int argc, char** argv) {
  program program({"pdgemm_64", "pdgemm_256", "mpi_broadcasts", "mpi_broadcasts_ahead"});
  std::optional<problem> problem;  // lives longer than the variants
  return trial::run_in_mpi(
      argc, argv, program, [&](trial::group& ranks, const std::vector<std::string>& names) {
        trial::use_blas_threads(1);
        problem.emplace(ranks, program.chosen().n);
        trial::variant_list made;
        for (const std::string& name : names) {
          if (name == "pdgemm_64") {
            made.push_back(make_pdgemm(*problem, name, 64));
          } else if (name == "pdgemm_256") {
            made.push_back(make_pdgemm(*problem, name, 256));
          } else {
            made.push_back(
                make_mpi_summa(*problem, name, program.chosen().panel, name == "mpi_broadcasts"));
          }
        }
        return made;
      });
}

}  // namespace
}  // namespace matmul

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exit_code = matmul::run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
