// SPDX-License-Identifier: BSD-3-Clause
//
// The figures of many measurements of the same thing. The machines that benchmarks run on are
// shared and noisy, and noise only ever adds, so means and standard deviations mislead. The median
// is the usual time, the minimum the possible one, and the median absolute deviation (MAD) the
// spread; a single interrupted round changes none of them.
#pragma once

#include <span>

namespace bench {

/// The summary of one case; all in the unit of the samples.
struct summary {
  double median = 0;
  double mad = 0;
  double min = 0;
  double max = 0;
};

/// The median; of an even number of samples the mean of the middle two; 0 of none.
double median_of(std::span<const double> samples);

/// All four figures; zeros for no samples.
summary summarize(std::span<const double> samples);

}  // namespace bench
