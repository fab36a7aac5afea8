// SPDX-License-Identifier: BSD-3-Clause
//
// cholesky_mpi_<library>: ScaLAPACK's pdpotrf, with tiles of 64, of 128 and of 256 rows, over the
// squarest grid. It uses the same local library, with one thread per rank.
#include <apps/cholesky/options.hpp>
#include <apps/cholesky/problem.hpp>
#include <apps/trial/blas.hpp>
#include <apps/trial/block_cyclic.hpp>
#include <apps/trial/mpi.hpp>

#include <optional>

extern "C" void pdpotrf_(const char* part, const int* n, double* a, const int* row,
                         const int* column, const int* descriptor, int* info);

namespace cholesky {
namespace {

class library_factor final : public trial::variant {
 public:
  library_factor(const problem& problem, int tile)
      : problem_(problem),
        name_("pdpotrf_" + std::to_string(tile)),
        n_(static_cast<int>(problem.n())),
        distribution_(n_, tile),
        values_(distribution_.size()) {}

  std::string_view name() const override { return name_; }
  void prepare() override {
    distribution_.for_elements([&](std::size_t row, std::size_t column, std::size_t index) {
      values_[index] = problem_.element(row, column);
    });
  }
  void run() override {
    const int first = 1;
    int info = 0;
    pdpotrf_("L", &n_, values_.data(), &first, &first, distribution_.descriptor(), &info);
  }
  double error() override {
    return problem_.error([&](const problem::visit& visit) {
      distribution_.for_elements([&](std::size_t row, std::size_t column, std::size_t index) {
        if (row >= column) visit(row, column, values_[index]);
      });
    });
  }

 private:
  const problem& problem_;
  std::string name_;
  int n_;
  trial::block_cyclic distribution_;
  std::vector<double> values_;
};

int run(int argc, char** argv) {
  program program({"pdpotrf_64", "pdpotrf_128", "pdpotrf_256"}, false);
  std::optional<problem> problem;  // lives longer than the variants
  return trial::run_in_mpi(argc, argv, program,
                           [&](trial::group& ranks, const std::vector<std::string>& names) {
                             trial::use_blas_threads(1);
                             problem.emplace(ranks, program.chosen().n);
                             trial::variant_list made;
                             for (const std::string& name : names) {
                               const int tile = std::stoi(name.substr(name.find('_') + 1));
                               made.push_back(std::make_unique<library_factor>(*problem, tile));
                             }
                             return made;
                           });
}

}  // namespace
}  // namespace cholesky

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exit_code = cholesky::run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
