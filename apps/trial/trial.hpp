// SPDX-License-Identifier: BSD-3-Clause
//
// The frame of apps that do the same work in several ways: variants run in turn, round by round,
// between barriers, and each is checked every time. The frame knows neither the work nor the
// library by which the ranks of a group reach each other, so a program and its twin for MPI are
// measured by the same code.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace trial {

/// Ranks that run together.
class group {
 public:
  virtual ~group() = default;
  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;
  virtual void barrier() = 0;
  /// The sums over all ranks, on all of them.
  virtual void add(std::span<double> numbers) = 0;
  /// The greatest of all ranks' numbers, on all of them.
  virtual double greatest(double number) = 0;
  /// Rank 0's numbers, on all ranks.
  virtual void broadcast(std::span<double> numbers) = 0;
};

/// One way to do the work. All calls are collective.
class variant {
 public:
  virtual ~variant() = default;
  virtual std::string_view name() const = 0;
  /// Makes the input; not timed.
  virtual void prepare() = 0;
  /// Does the work; timed.
  virtual void run() = 0;
  /// The error of this rank's part of the result, in the measure of its limit.
  virtual double error() = 0;
  /// Does the first run of these ranks, which is not timed, and returns its error. It has the same
  /// barriers as a round; a variant may check more of it than of the others.
  virtual double rehearse(group& ranks) {
    prepare();
    ranks.barrier();
    run();
    ranks.barrier();
    return error();
  }
};

/// One run of a variant, by all ranks together.
struct task {
  double operations = 0;              // in the sense of the unit: of floating point, bytes
  double error_max = 0;               // the largest error that is accepted
  std::string_view unit = "GFLOP/s";  // 10^9 operations in a second
  unsigned lines = 0;                 // of the variant's code; 0: not counted
};

/// The work for a number of ranks.
struct work {
  std::string title;        // for people: "128x128x128 points, slabs"
  std::vector<task> tasks;  // one that all variants do, or that of each in the order of the names
  std::uint64_t bytes_of_rank = 0;                           // memory that other ranks reach
  std::uint64_t bytes_in_all = 0;                            // all memory of all ranks
  std::vector<std::pair<std::string, std::uint64_t>> facts;  // for programs: {"points", 2097152}

  const task& task_of(std::size_t variant) const {
    return tasks.size() == 1 ? tasks.front() : tasks[variant];
  }
};

struct options {
  unsigned rounds = 5;
  std::vector<std::string> variants;  // none: all
  bool quiet = false;
  std::string json_path;
};

/// A file that a program writes at its end, and the option that names it; empty: not asked for.
struct output_file {
  std::string_view option;
  std::string path;
};

/// A program, apart from the library by which its ranks reach each other.
class program {
 public:
  virtual ~program() = default;
  virtual std::string_view app() const = 0;
  virtual std::string_view about() const = 0;
  /// The variants, all of which run when none is named, unless usual() leaves some out.
  virtual std::vector<std::string> variants() const = 0;
  /// The variants that run on so many ranks when none is named.
  virtual std::vector<std::string> usual(unsigned ranks) const {
    (void)ranks;
    return variants();
  }
  /// Variants that run only when they are named, to compare with.
  virtual std::vector<std::string> measures() const { return {}; }
  virtual void add_options(CLI::App& app) = 0;
  /// The files that rank 0 writes besides the one of --json.
  virtual std::vector<output_file> files() const { return {}; }
  /// The work of these variants on so many ranks. Throws `atl::error` for what cannot be done.
  virtual work plan(unsigned ranks, const std::vector<std::string>& names) const = 0;
};

using variant_list = std::vector<std::unique_ptr<variant>>;

/// Called after the rounds, on all ranks, when all is right; may throw `atl::error` on rank 0.
using final_work = std::function<void(group& ranks, const variant_list&)>;

/// The results of one variant.
struct figure {
  std::string name;
  task done;
  double seconds = 0;  // the median of the rounds
  double mad = 0;      // the median absolute deviation from it
  double error = 0;    // the greatest of all rounds and ranks
  bool right = true;
};

struct outcome {
  unsigned ranks = 1;
  unsigned rounds = 0;  // as many as began in time
  std::vector<figure> figures;

  bool right() const;
};

/// Called with a text of what runs: "checking puts", "round 2 of 5"; empty at the end.
using progress = std::function<void(const std::string&)>;

/// Runs the variants in the chosen number of rounds, or in as many as begin within a minute. The
/// result is the same on all ranks.
outcome run_rounds(group& ranks, const variant_list& variants, const work& planned,
                   const options& chosen, const progress& show_progress);

}  // namespace trial
