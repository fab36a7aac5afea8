// SPDX-License-Identifier: BSD-3-Clause
//
// The product of blocks by the C interface of BLAS.
#include <apps/matmul/local_product.hpp>
#include <apps/trial/blas.hpp>

namespace matmul {

void add_product(product_shape shape, rows_of<const double> a, rows_of<const double> b,
                 rows_of<double> c) {
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;
  using trial::blas_length;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_length(shape.m), blas_length(shape.n),
              blas_length(shape.k), 1.0, a.values, blas_length(a.stride), b.values,
              blas_length(b.stride), 1.0, c.values, blas_length(c.stride));
}

}  // namespace matmul
