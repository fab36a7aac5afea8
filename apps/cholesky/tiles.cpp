// SPDX-License-Identifier: BSD-3-Clause
//
// The work on tiles by the C interface of BLAS and LAPACK's dpotrf, both from OpenBLAS.
#include <apps/cholesky/tiles.hpp>

#include <cblas.h>

extern "C" void dpotrf_(const char* part, const int* n, double* a, const int* stride, int* info);

namespace cholesky {
namespace {

int int_of(std::size_t length) { return static_cast<int>(length); }

}  // namespace

bool factor(const tile<double>& a) {
  const int n = int_of(a.columns);
  const int stride = int_of(a.stride);
  int info = 0;
  dpotrf_("L", &n, a.values, &stride, &info);
  return info == 0;
}

void solve(const tile<double>& a, const tile<const double>& diagonal) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, int_of(a.rows),
              int_of(a.columns), 1.0, diagonal.values, int_of(diagonal.stride), a.values,
              int_of(a.stride));
}

void update(const tile<double>& c, const tile<const double>& a, const tile<const double>& b) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, int_of(c.rows), int_of(c.columns),
              int_of(a.columns), -1.0, a.values, int_of(a.stride), b.values, int_of(b.stride), 1.0,
              c.values, int_of(c.stride));
}

void update_diagonal(const tile<double>& c, const tile<const double>& a) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, int_of(c.columns), int_of(a.columns), -1.0,
              a.values, int_of(a.stride), 1.0, c.values, int_of(c.stride));
}

void use_threads(unsigned count) { openblas_set_num_threads(static_cast<int>(count)); }

}  // namespace cholesky
