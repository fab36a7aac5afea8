// SPDX-License-Identifier: BSD-3-Clause
//
// The product by ScaLAPACK, over the squarest grid.
#pragma once

#include <apps/matmul/problem.hpp>

#include <memory>

namespace matmul {

/// The matrices are distributed cyclically over the grid in square blocks. Call it after MPI_Init.
std::unique_ptr<trial::variant> make_pdgemm(const problem& problem, std::string name, int block);

}  // namespace matmul
