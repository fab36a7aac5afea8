// SPDX-License-Identifier: BSD-3-Clause
//
// The product of two blocks within a rank, by OpenBLAS. Programs for MPI use the same.
#pragma once

#include <cstddef>

namespace matmul {

/// A matrix in rows, `stride` numbers apart.
template <class Number>
struct rows_of {
  Number* values = nullptr;
  std::size_t stride = 0;
};

struct product_shape {
  std::size_t m, n, k;
};

/// c (m x n) += a (m x k) b (k x n); does nothing where a length is 0.
void add_product(product_shape shape, rows_of<const double> a, rows_of<const double> b,
                 rows_of<double> c);

/// Threads that products of this process use. A rank has a core, and so one.
void use_threads(unsigned count);

}  // namespace matmul
