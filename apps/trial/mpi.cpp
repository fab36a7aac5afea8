// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a program on MPI. The report names the library by its own version text.
#include <apps/trial/mpi.hpp>
#include <apps/trial/options.hpp>
#include <apps/trial/run.hpp>

#include <cstring>

namespace trial {
namespace {

class world_group final : public group {
 public:
  world_group() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  unsigned rank() const override { return static_cast<unsigned>(rank_); }
  unsigned size() const override { return static_cast<unsigned>(size_); }
  void barrier() override { MPI_Barrier(MPI_COMM_WORLD); }
  void add(std::span<double> numbers) override {
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE,
                  MPI_SUM, MPI_COMM_WORLD);
  }
  double greatest(double number) override {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return number;
  }
  void broadcast(std::span<double> numbers) override {
    MPI_Bcast(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

// "openmpi" or "mpich", from the library's version text.
const char* library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::strncmp(text, "Open MPI", 8) == 0 ? "openmpi" : "mpich";
}

}  // namespace

int run_in_mpi(int argc, char** argv, program& program, const mpi_variants& make) {
  world_group ranks;
  options chosen;
  if (const auto end = parse(argc, argv, program, ranks.rank() == 0, chosen)) return *end;
  const platform used{
      .implementation = library(),
      .memory = {},
      .make = [&](const std::vector<std::string>& names) { return make(ranks, names); },
      .afterwards = {}};
  return run_program(ranks, program, chosen, used);
}

}  // namespace trial
