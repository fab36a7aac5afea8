// SPDX-License-Identifier: BSD-3-Clause
//
// Makes rules from records. A record holds what was measured at one point: the times of each
// algorithm, round by round, which are compared round by round (comparison.hpp). Of one pass, an
// algorithm gets a rule where it is 5 % faster than the built-in choice in the even rounds, the odd
// rounds, the first half, and the second half, in which only the two were measured: chance rarely
// does that. Of several passes, minutes apart, only the rounds of all algorithms count, and it must
// be 2 % faster in the mean, and by twice the error of that: the speed between cores changes with
// time, so passes may differ. Elsewhere there is no rule, and the built-in choice stays. A rule
// goes on to the next size where no other algorithm is clearly faster. Adjacent sizes with the same
// algorithm become one rule, which reaches halfway (in factors) to the next size, and at most to
// half or twice its own. Numbers of ranks that were not measured, between two that were, get a rule
// on one host where both have the same algorithm for the same sizes.
//
// Sums of doubles in calls that are not strict are measured first, and their rules hold for all
// types, operations and strict calls. Records of other elements, of operations that do not commute
// and of strict calls make rules of their own where they come to another choice. Rules that say
// more of a call go before those that say less. Older records over hosts, which name no network,
// count where no newer one does.
#pragma once

#include <atoll/coll/tuned/table.hpp>
#include <tools/tune/record.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace atl::tools {

/// The records of one point, a pass each; never empty.
using tune_passes = std::vector<tune_record>;

/// The points of the records, grouped by series and ordered by size. Of calls that do not block
/// those with most work beside them count, where a point has records of several. Of records of the
/// same pass of a point the last one counts.
std::vector<tune_passes> points_of(std::vector<tune_record> records);

/// The lower quartile of all rounds, or of every `step`-th one from the first on; there must be
/// one.
double quartile_ns(std::span<const double> times, std::size_t step = 1);

/// The rounds of one pass that all algorithms have which were not left out. An older record does
/// not state them; there they follow from the number of times.
std::size_t rounds_of(const tune_record& pass);

/// The algorithm that should be used for a point, with its time relative to the built-in choice;
/// the built-in choice and 1 where nothing is clearly faster. The `preferred` one counts as the
/// fastest where it is faster than the built-in choice and at most 2 % slower than the best.
struct tune_verdict {
  std::string algorithm;
  double ratio = 1;
};
tune_verdict verdict_of(const tune_passes& point, const std::string& preferred = {});

struct tuned_points {
  coll::tuned_table table;
  std::size_t points = 0;
  std::size_t changed = 0;  // other than the built-in choice
  double log_gain = 0;      // sum over them
};
/// The rules of the records of this machine and these algorithms.
tuned_points rules_of(std::vector<tune_record> records);

/// The points that would show better where the choice changes: one between each two sizes of a
/// series with different choices, where these are more than a half apart and either choice is
/// slower at the size of the other one; and those that have fewer passes than a neighbour. They
/// have no times.
std::vector<tune_record> points_between(std::vector<tune_record> records);

}  // namespace atl::tools
