// SPDX-License-Identifier: BSD-3-Clause
//
// The work on tiles within a rank, by OpenBLAS. Columns are contiguous, `stride` apart.
#pragma once

#include <cstddef>

namespace cholesky {

template <class Number>
struct tile {
  Number* values = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;
};

/// a = its lower factor; false when a is not positive definite.
bool factor(const tile<double>& a);
/// a = a l^-T, with l lower triangular.
void solve(const tile<double>& a, const tile<const double>& diagonal);
/// c -= a b^T.
void update(const tile<double>& c, const tile<const double>& a, const tile<const double>& b);
/// The lower half of c -= a a^T.
void update_diagonal(const tile<double>& c, const tile<const double>& a);

}  // namespace cholesky
