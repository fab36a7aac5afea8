// SPDX-License-Identifier: BSD-3-Clause
//
// stencil2d_mpi_<library>: the variants for MPI, of the same kernel, with the same options and the
// same report, compiled once for each MPI that is installed and started by that library's mpirun.
#include <apps/stencil2d/mpi_group.hpp>
#include <apps/stencil2d/options.hpp>
#include <apps/stencil2d/report.hpp>
#include <atoll/base/error.hpp>

#include <cstring>
#include <iostream>

namespace stencil2d {
namespace {

constexpr int wrong_answer = 1;
constexpr int refused = 2;

// "openmpi" or "mpich", from the library's version text.
const char* library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::strncmp(text, "Open MPI", 8) == 0 ? "openmpi" : "mpich";
}

int run(const options& chosen, const program_traits& program) {
  const mpi_group everybody(MPI_COMM_WORLD);
  const unsigned total = everybody.size();
  const bool first = everybody.rank() == 0;
  const report out(chosen, program, first);
  std::vector<outcome> outcomes;
  bool right = true;
  for (const unsigned count : counts_for(chosen, total)) setting_for(chosen, 0, count, total);
  for (const unsigned count : counts_for(chosen, total)) {
    const bool takes_part = everybody.rank() < count;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, takes_part ? 0 : MPI_UNDEFINED, 0, &part);
    if (takes_part) {
      mpi_group group(part);
      const setting given = setting_for(chosen, group.rank(), count, total);
      out.heading(given, count);
      outcomes.push_back(compare_variants(group, given, chosen.variants, chosen.rounds));
      out.table(outcomes.back());
      right = right && outcomes.back().right;
      MPI_Comm_free(&part);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (first) {
    out.growth(outcomes);
    out.verdict(outcomes);
    if (!chosen.json_path.empty()) write_json(chosen, library(), outcomes);
  }
  return right ? 0 : wrong_answer;
}

int parse_and_run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const program_traits program{std::string("stencil2d_mpi_") + library(), mpi_variants(), false};
  options chosen;
  try {
    if (const auto end = parse(argc, argv, program, rank == 0, chosen)) return *end;
    return run(chosen, program);
  } catch (const atl::error& refusal) {
    if (rank == 0) std::cerr << program.name << ": " << refusal.what() << '\n';
    return refused;
  }
}

}  // namespace
}  // namespace stencil2d

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int exit_code = stencil2d::parse_and_run(argc, argv);
  MPI_Finalize();
  return exit_code;
}
