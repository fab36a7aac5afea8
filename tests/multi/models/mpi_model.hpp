// SPDX-License-Identifier: BSD-3-Clause
//
// MPI as one of the models of the program models.cpp. It is linked with mpi_model.cpp, compiled for
// an MPI library, or with no_mpi_model.cpp.
#pragma once

namespace models {

/// Initializes MPI; false where the program is linked without it.
bool begin_mpi();
void end_mpi();
int mpi_rank();
int mpi_size();

/// The sum over all ranks.
long mpi_sum(long number);

/// Sends a number to the next rank and receives one from the previous rank, both in a ring.
void mpi_shift(const long* source, long* target);

}  // namespace models
