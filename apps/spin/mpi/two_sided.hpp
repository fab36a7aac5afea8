// SPDX-License-Identifier: BSD-3-Clause
//
// Messages, chunk by chunk: *ref* has a single buffer, so it sends and receives a chunk and then
// computes; *work* has two, and the next chunk is under way meanwhile.
#pragma once

#include <apps/spin/aligned.hpp>
#include <apps/spin/chunked.hpp>

#include <mpi.h>

#include <vector>

namespace spin {

class two_sided : public chunked {
 public:
  two_sided(const exchange_shape& shape, std::size_t buffers, int rank);

 private:
  void start(const chunk& moved) final;
  void complete(const chunk& moved) final;

  int rank_;
  std::vector<aligned_numbers> buffers_;   // per partner
  std::vector<MPI_Request> under_way_[2];  // per buffer
};

}  // namespace spin
