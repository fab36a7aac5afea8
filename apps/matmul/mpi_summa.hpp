// SPDX-License-Identifier: BSD-3-Clause
//
// SUMMA by MPI's broadcasts, over the squarest grid, with the same panels as on Atoll.
#pragma once

#include <apps/matmul/local_product.hpp>
#include <apps/matmul/problem.hpp>

#include <memory>

namespace matmul {

/// Blocking, or with the broadcasts of the next panel under way. Call it after MPI_Init.
std::unique_ptr<trial::variant> make_mpi_summa(const problem& problem, std::string name,
                                               std::size_t width, bool is_blocking);

}  // namespace matmul
