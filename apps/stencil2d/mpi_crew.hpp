// SPDX-License-Identifier: BSD-3-Clause
//
// The first ranks of an MPI job as a crew, and the variants that are written with MPI.
#pragma once

#include <apps/stencil2d/contest.hpp>

#include <mpi.h>

namespace stencil2d {

/// Names of the variants, in the order in which they run.
std::vector<std::string> mpi_variants();

class mpi_crew final : public crew {
 public:
  explicit mpi_crew(MPI_Comm on);

  unsigned rank() const override { return static_cast<unsigned>(rank_); }
  unsigned size() const override { return static_cast<unsigned>(size_); }
  void barrier() override { MPI_Barrier(on_); }
  void add(std::span<double> numbers) override;
  void add(std::uint64_t& number) override;
  std::vector<std::unique_ptr<variant>> variants(const setting& given,
                                                 const std::vector<std::string>& names) override;

 private:
  MPI_Comm on_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace stencil2d
