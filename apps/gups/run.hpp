// SPDX-License-Identifier: BSD-3-Clause
//
// The measurement: one core alone, then all variants in turn, round by round, each verified.
// Collective over the world.
#pragma once

#include <apps/gups/options.hpp>

#include <string>
#include <vector>

namespace gups {

struct measured {
  std::string name;
  double seconds = 0;  // the median of the rounds, from barrier to barrier
  double rate = 0;     // of all ranks together, in 10^9 updates per second
  double error = 0;    // the part of the words that are wrong, in the worst round
};

struct results {
  measured alone;  // one core, with a table of the same size in its private memory
  std::vector<measured> variants;
};

/// The same on all ranks.
results run_all(const options& chosen);

}  // namespace gups
