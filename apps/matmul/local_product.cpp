// SPDX-License-Identifier: BSD-3-Clause
//
// The product of blocks by the C interface of BLAS. OpenBLAS reads the number of its threads from
// the environment when it is loaded, and would otherwise use all cores in every rank.
#include <apps/matmul/local_product.hpp>

#include <cblas.h>

namespace matmul {
namespace {

blasint int_of(std::size_t length) { return static_cast<blasint>(length); }

}  // namespace

void add_product(product_shape shape, rows_of<const double> a, rows_of<const double> b,
                 rows_of<double> c) {
  if (shape.m == 0 || shape.n == 0 || shape.k == 0) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, int_of(shape.m), int_of(shape.n),
              int_of(shape.k), 1.0, a.values, int_of(a.stride), b.values, int_of(b.stride), 1.0,
              c.values, int_of(c.stride));
}

void use_threads(unsigned count) { openblas_set_num_threads(static_cast<int>(count)); }

}  // namespace matmul
