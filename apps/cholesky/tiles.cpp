// SPDX-License-Identifier: BSD-3-Clause
//
// The work on tiles by the C interface of BLAS and LAPACK's dpotrf, both from OpenBLAS.
#include <apps/cholesky/tiles.hpp>
#include <apps/trial/blas.hpp>

extern "C" void dpotrf_(const char* part, const int* n, double* a, const int* stride, int* info);

namespace cholesky {

using trial::blas_length;

bool factor(const tile<double>& a) {
  const int n = blas_length(a.columns);
  const int stride = blas_length(a.stride);
  int info = 0;
  dpotrf_("L", &n, a.values, &stride, &info);
  return info == 0;
}

void solve(const tile<double>& a, const tile<const double>& diagonal) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, blas_length(a.rows),
              blas_length(a.columns), 1.0, diagonal.values, blas_length(diagonal.stride), a.values,
              blas_length(a.stride));
}

void update(const tile<double>& c, const tile<const double>& a, const tile<const double>& b) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, blas_length(c.rows), blas_length(c.columns),
              blas_length(a.columns), -1.0, a.values, blas_length(a.stride), b.values,
              blas_length(b.stride), 1.0, c.values, blas_length(c.stride));
}

void update_diagonal(const tile<double>& c, const tile<const double>& a) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, blas_length(c.columns),
              blas_length(a.columns), -1.0, a.values, blas_length(a.stride), 1.0, c.values,
              blas_length(c.stride));
}

}  // namespace cholesky
