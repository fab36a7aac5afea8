// SPDX-License-Identifier: BSD-3-Clause
//
// The program without MPI.
#include <tests/multi/models/mpi_model.hpp>

namespace models {

bool begin_mpi() { return false; }
void end_mpi() {}
int mpi_rank() { return -1; }
int mpi_size() { return 0; }
long mpi_sum(long) { return 0; }
void mpi_shift(const long*, long*) {}

}  // namespace models
