// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of bench_collectives done by MPI.
#include <bench/collectives/cases.hpp>
#include <bench/mpi/cases.hpp>

#include <array>
#include <memory>

namespace bench {

class mpi_collectives {
 public:
  explicit mpi_collectives(const mpi_world& world) : world_(world) {}

  unsigned rank() const { return world_.rank(); }
  unsigned ranks() const { return world_.ranks(); }
  void barrier() const { world_.barrier(); }
  void broadcast(double* data, std::size_t bytes) const {
    MPI_Bcast(data, static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  void reduce(double* to, const double* from, std::size_t count) const {
    MPI_Reduce(from, to, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  void allreduce(double* to, const double* from, std::size_t count) const {
    MPI_Allreduce(from, to, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void scan(double* to, const double* from, std::size_t count) const {
    MPI_Scan(from, to, static_cast<int>(count), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  void scatter(double* to, const double* from, std::size_t bytes) const {
    const int block = static_cast<int>(bytes);
    MPI_Scatter(from, block, MPI_BYTE, to, block, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  void gather(double* to, const double* from, std::size_t bytes) const {
    const int block = static_cast<int>(bytes);
    MPI_Gather(from, block, MPI_BYTE, to, block, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  void allgather(double* to, const double* from, std::size_t bytes) const {
    const int block = static_cast<int>(bytes);
    MPI_Allgather(from, block, MPI_BYTE, to, block, MPI_BYTE, MPI_COMM_WORLD);
  }
  void alltoall(double* to, const double* from, std::size_t bytes) const {
    const int block = static_cast<int>(bytes);
    MPI_Alltoall(from, block, MPI_BYTE, to, block, MPI_BYTE, MPI_COMM_WORLD);
  }
  void broadcasts(double* data, std::size_t bytes, unsigned several) const {
    std::array<MPI_Request, broadcasts_in_flight> under_way;
    for (unsigned i = 0; i < several; ++i) {
      MPI_Ibcast(data + i * bytes / sizeof(double), static_cast<int>(bytes), MPI_BYTE, 0,
                 MPI_COMM_WORLD, &under_way[i]);
    }
    MPI_Waitall(static_cast<int>(several), under_way.data(), MPI_STATUSES_IGNORE);
  }

 private:
  const mpi_world& world_;
};

std::shared_ptr<void> add_mpi_collectives(suite& to, const mpi_world& world,
                                          std::size_t bytes_max) {
  struct kept {
    kept(const mpi_world& mpi, std::size_t most) : library(mpi), cases(library, most) {}
    mpi_collectives library;
    collective_cases<mpi_collectives> cases;
  };
  const auto state = std::make_shared<kept>(world, bytes_max);
  state->cases.add_to(to);
  return state;
}

}  // namespace bench
