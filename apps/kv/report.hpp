// SPDX-License-Identifier: BSD-3-Clause
//
// The report of the ways that were compared, by rank 0: a table, with a row as soon as a way has
// ended, and a JSON file. Rates are of all ranks together. A way's efficiency is its rate over that
// of one map on every core that the ranks use, so sharing cores does not lower it.
#pragma once

#include <apps/kv/options.hpp>

#include <string>
#include <vector>

namespace kv {

/// Times from barrier to barrier, in seconds.
struct outcome {
  double insert_s = 0;
  double settle_s = 0;  // the work of a way between insert and find
  double find_s = 0;
  bool right = true;
};

/// The median of each time over the rounds; right when all rounds are.
outcome median_of(const std::vector<outcome>& rounds);

class report {
 public:
  struct job {
    int ranks = 1;
    double cores = 1;  // that these ranks can use together
    bool speaks = false;
  };

  /// `alone` is the outcome of one process.
  report(const options& chosen, const job& place, const outcome& alone);

  /// Returns whether the way was right.
  bool row(const char* name, const outcome& result);

  /// Throws `atl::error` when the file cannot be written.
  void write_json(const std::string& path, bool right) const;

 private:
  struct named {
    std::string name;
    outcome times;
  };

  double rate(double time_s) const;  // in millions per second
  double efficiency(double alone_s, double time_s) const;

  const options& chosen_;
  job job_;
  outcome alone_;
  std::vector<named> rows_;
};

}  // namespace kv
