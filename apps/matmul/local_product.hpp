// SPDX-License-Identifier: BSD-3-Clause
//
// The product of two blocks within a rank, by OpenBLAS; the programs for MPI use it too.
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

}  // namespace matmul
