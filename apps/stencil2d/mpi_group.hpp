// SPDX-License-Identifier: BSD-3-Clause
//
// The first ranks of an MPI job as a group, and the variants that are written with MPI.
#pragma once

#include <apps/stencil2d/comparison.hpp>

#include <mpi.h>

namespace stencil2d {

/// Names of the variants, in the order in which they run.
std::vector<std::string> mpi_variants();

class mpi_group final : public rank_group {
 public:
  explicit mpi_group(MPI_Comm communicator);

  unsigned rank() const override { return static_cast<unsigned>(rank_); }
  unsigned size() const override { return static_cast<unsigned>(size_); }
  void barrier() override { MPI_Barrier(communicator_); }
  void add(std::span<double> numbers) override;
  void add(std::uint64_t& number) override;
  std::vector<std::unique_ptr<variant>> variants(const setting& given,
                                                 const std::vector<std::string>& names) override;

 private:
  MPI_Comm communicator_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace stencil2d
