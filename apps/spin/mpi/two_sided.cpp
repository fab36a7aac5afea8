// SPDX-License-Identifier: BSD-3-Clause
//
// Chunks have no tags: messages of one partner arrive in the order in which it sends them.
#include <apps/spin/mpi/two_sided.hpp>

namespace spin {

two_sided::two_sided(const exchange_shape& shape, std::size_t buffers, int rank)
    : chunked(shape, buffers), rank_(rank) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    buffers_.emplace_back(elements(shape, buffers));
    arrive_.push_back(buffers_.back().data());
  }
}

void two_sided::start(const chunk& moved) {
  const auto count = static_cast<int>(moved.elements);
  std::vector<MPI_Request>& requests = under_way_[moved.buffer];
  for (unsigned bit = 0; bit < shape_.partners; ++bit) {
    const int partner = rank_ ^ 1 << bit;
    MPI_Irecv(buffers_[bit].data() + moved.offset, count, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD,
              &requests.emplace_back());
    MPI_Isend(moved.source, count, MPI_DOUBLE, partner, 0, MPI_COMM_WORLD,
              &requests.emplace_back());
  }
}

void two_sided::complete(const chunk& moved) {
  std::vector<MPI_Request>& requests = under_way_[moved.buffer];
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
}

}  // namespace spin
