// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that starts MPI, meets the others and leaves: the peer of joined.cpp for bench_startup,
// built once for each MPI that is installed. Both programs do the least that their runtime
// requires.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
