// SPDX-License-Identifier: BSD-3-Clause
//
// Compares a table with records: for each measured point, the algorithm that the table takes, its
// gain, and what the best fixed choice would have been. The best is chosen by the even rounds and
// all are judged by the odd ones, so luck gains nothing; both are compared with the built-in choice
// round by round (comparison.hpp). Only rounds count that all algorithms have which were not left
// out; several passes count by their geometric mean. Records at sizes or
// numbers of ranks that the table was not made from show how far its rules hold.
#pragma once

#include <tools/tune/rules.hpp>

#include <string>
#include <vector>

namespace atl::tools {

struct evaluated_point {
  tune_record point;
  std::string chosen;      // "tree:4"; the built-in choice where no rule fits
  std::string best;        // of all that were measured to the end
  double built_in_ns = 0;  // lower quartile; the others follow from their ratios to it
  double chosen_ns = 0;    // 0: it was left out early, or not measured
  double best_ns = 0;
  bool surely_slower = false;  // than the built-in choice: by 2 %, and by twice the error
};

/// The algorithm of the first rule that fits a point; empty where none does.
std::string rule_choice(const coll::tuned_table& table, const tune_record& point);

/// The points of the table's machine, by collective, ranks and size. Those without a time of the
/// built-in choice are left out.
std::vector<evaluated_point> evaluate(const coll::tuned_table& table,
                                      std::vector<tune_record> records);

struct evaluation {
  std::size_t points = 0;
  std::size_t table_within_5 = 0, table_within_10 = 0;  // per cent of the best fixed choice
  std::size_t built_in_within_5 = 0, built_in_within_10 = 0;
  std::size_t differs = 0;     // from the built-in choice, and was measured to the end
  std::size_t unmeasured = 0;  // the table's choice was not measured to the end
  std::size_t surely_slower = 0;
  double log_ratio = 0;  // of the time with the table to that without, summed where it differs
  double worst_ratio = 1;
  std::string worst;  // the point where the table loses most
};
evaluation summary_of(const std::vector<evaluated_point>& points);

/// The points as JSON for the page, with the table's path and machine.
std::string text_of(const std::vector<evaluated_point>& points, const coll::tuned_table& table,
                    const std::string& path);

}  // namespace atl::tools
