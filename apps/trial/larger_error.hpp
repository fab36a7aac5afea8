// SPDX-License-Identifier: BSD-3-Clause
//
// The larger of two errors, for checks that look for the largest of many. A result that is not a
// number is the worst error of all, but it compares false with everything: std::max() forgets it,
// and so does a comparison when the next number comes.
#pragma once

#include <cmath>

namespace trial {

/// The larger one, or not a number if one of them is not.
inline double larger_error(double a, double b) { return a > b || std::isnan(a) ? a : b; }

}  // namespace trial
