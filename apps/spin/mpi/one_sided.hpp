// SPDX-License-Identifier: BSD-3-Clause
//
// Puts into windows, completed by fences: *fence* has two buffers per partner, one is filled while
// the kernel reads the other.
#pragma once

#include <apps/spin/chunked.hpp>

#include <mpi.h>

#include <vector>

namespace spin {

class one_sided final : public chunked {
 public:
  one_sided(const exchange_shape& shape, int rank);
  ~one_sided() override;
  void finish() override;

 private:
  void start(const chunk& moved) override;
  void complete(const chunk& moved) override;

  int rank_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<MPI_Aint> first_;  // of each partner's window: its first aligned number
};

}  // namespace spin
