// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI part of the program, compiled for each MPI library that is installed.
#include <mpi.h>
#include <tests/multi/models/mpi_model.hpp>

namespace models {

bool begin_mpi() { return MPI_Init(nullptr, nullptr) == MPI_SUCCESS; }
void end_mpi() { MPI_Finalize(); }

int mpi_rank() {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int mpi_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

long mpi_sum(long number) {
  long sum = 0;
  MPI_Allreduce(&number, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

void mpi_shift(const long* source, long* target) {
  const int size = mpi_size();
  const int next = (mpi_rank() + 1) % size;
  const int previous = (mpi_rank() + size - 1) % size;
  MPI_Sendrecv(source, 1, MPI_LONG, next, 0, target, 1, MPI_LONG, previous, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

}  // namespace models
