// SPDX-License-Identifier: BSD-3-Clause
//
// A suite is the cases of one benchmark program, ours and those they are compared with. They are
// measured in rounds: each round runs every case once, for a short time. The machine's speed
// changes between rounds (clock frequency, a neighbour, two virtual cores on one physical core),
// but a change hardly affects the ratio of two cases of one round; so ratios are formed per round
// and then summarized.
//
// Every rank runs the same suite with the same cases in the same order, since the ranks do a case
// together; one rank, the reporter, keeps the times. The suite does not know how ranks communicate:
// the program gives it a barrier. So the same code measures Atoll, MPI and
// GASNet-EX.
//
// Threads: none.
#pragma once

#include <bench/harness/options.hpp>
#include <bench/harness/statistics.hpp>
#include <bench/harness/stopwatch.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// One thing to measure.
struct bench_case {
  std::string name = {};
  std::uint64_t operations = 1;  // per round; quick rounds do a hundredth, fitted ones what fits
  std::size_t bytes = 0;         // per operation; not 0: bandwidth is reported too
  std::uint64_t operations_least = 1;  // when fitted: hides the fixed cost of a round
  std::string operation = {};          // the curve that the case is a point of, its x being `bytes`
  /// Does that many operations and returns how long they took, in nanoseconds, of which the
  /// reporter's value counts. Called on every rank after a barrier.
  std::function<double(std::uint64_t operations)> run = {};
};

/// The time of one case over that of another, and the goal for it.
struct ratio {
  std::string numerator = {};  // names of cases
  std::string denominator = {};
  double at_most = 0;  // 0: reported without a goal
};

/// A figure that is not a time: the program measures it, and it is reported as it is.
struct fact {
  std::string name = {};
  double value = 0;
  std::string unit = {};
};

/// The subject of a suite: shown and written to the JSON file.
struct suite_title {
  std::string benchmark = {};       // "latency"
  std::string implementation = {};  // "atoll", "openmpi", ...
  unsigned rank = 0;
  unsigned ranks = 1;
};

class suite {
 public:
  /// `synchronize` is the program's barrier.
  suite(suite_title title, options chosen, std::function<void()> synchronize);

  /// Fits the numbers of operations to the machine: a round of each case lasts about a
  /// millisecond, and the rounds end after --seconds. `agree` gives every rank the reporter's
  /// value; collective. Quick runs are not fitted. To be called before run().
  void fit(std::function<std::uint64_t(std::uint64_t)> agree);

  /// Adds a case, or a ratio between two. Those that --only leaves out are ignored.
  void add(bench_case new_case);
  void compare(ratio new_ratio);

  /// Adds a figure that is reported beside the times.
  void add_fact(fact new_fact);

  /// Runs all rounds after one that is not counted (or after the fitting); the reporter (rank 0)
  /// prints a table and writes the file. Throws `std::runtime_error` when the file cannot be
  /// written.
  void run();

 private:
  struct measured {
    bench_case definition;
    std::vector<double> samples_ns;  // per operation, one per round
  };

  bool reports() const noexcept { return title_.rank == 0; }
  void round(bool counted);
  void fit_operations();
  void fit_case(measured& fitted, double round_ns) const;
  bool time_is_over(const stopwatch& since) const;
  const measured* find(const std::string& name) const noexcept;
  std::vector<double> ratios_of(const ratio& compared) const;
  void print() const;
  void write_json() const;

  suite_title title_;
  options options_;
  std::function<void()> synchronize_;
  std::function<std::uint64_t(std::uint64_t)> agree_;  // empty: operations as they are given
  unsigned rounds_ = 0;                                // that were counted
  std::vector<measured> cases_;
  std::vector<ratio> ratios_;
  std::vector<fact> facts_;
};

}  // namespace bench
