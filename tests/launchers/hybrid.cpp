// SPDX-License-Identifier: BSD-3-Clause
//
// A program of Atoll and MPI, compiled with each MPI library that is installed. Its argument is the
// order in which the two begin and end, such as "AMma": A and M are Atoll's and MPI's beginnings, a
// and m their ends. While both run, their rank numbers must agree, and both must transfer data.
// At "!" rank 1 kills itself, at "x" Atoll ends the job with code 5, at "y" the process exits with
// code 6, at "t" it starts a child that is a job of one.
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

std::optional<atl::runtime> job;
bool mpi_lives = false;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::_Exit(9);
}

void check_atoll() {
  atl::endpoint& here = job->primordial();
  auto* const inbox = static_cast<atl::rank_id*>(job->heap().allocate(sizeof(atl::rank_id)));
  *inbox = ~0U;
  const atl::rank_id right = (job->rank() + 1) % job->size();
  const auto offset = reinterpret_cast<std::byte*>(inbox) - here.bound().own_part().base;
  auto* const theirs = reinterpret_cast<atl::rank_id*>(here.bound().part(right).base + offset);
  job->world().barrier();
  atl::put_value(here, right, theirs, job->rank());
  job->world().barrier();
  require(*inbox == (job->rank() + job->size() - 1) % job->size(), "what a neighbour wrote");
  job->world().barrier();
  job->heap().free(inbox);
}

void check_mpi() {
  int rank = -1;
  int size = 0;
  int sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  require(sum == size * (size - 1) / 2, "the sum of MPI's ranks");
  if (!job) return;
  require(static_cast<atl::rank_id>(rank) == job->rank(), "MPI's rank is Atoll's");
  require(static_cast<atl::rank_id>(size) == job->size(), "MPI's size is Atoll's");
}

void act(char step, char** arguments) {
  if (step == 'A') job.emplace();
  if (step == 'M') MPI_Init(nullptr, nullptr);
  if (step == 'M') mpi_lives = true;
  if (step == 'a') job.reset();
  if (step == 'm') MPI_Finalize();
  if (step == 'm') mpi_lives = false;
  if (step == '!' && job->rank() == 1) std::raise(SIGKILL);
  if (step == 'x' && job->rank() == 1) job->exit(5);
  if (step == 'y' && job->rank() == 1) std::_Exit(6);
  if (step == 't') require(std::system((std::string(arguments[0]) + " A1a").c_str()) == 0, "child");
  if (step == '1') require(job->size() == 1, "a child is alone");
  if (step == 's') sleep(60);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view steps = count > 1 ? arguments[1] : "AMma";
  atl::rank_id rank = 0;
  atl::rank_id size = 0;
  for (const char step : steps) {
    act(step, arguments);
    if (job) rank = job->rank();
    if (job) size = job->size();
    if (job) check_atoll();
    if (mpi_lives) check_mpi();
  }
  std::printf("rank %u of %u: done\n", rank, size);
  return 0;
}
