// SPDX-License-Identifier: BSD-3-Clause
//
// Measures points one after the other within a budget of time. At each point all candidates take
// turns in rounds, so that a disturbance of the machine hits all of them. Candidates that a model
// or the first rounds show to be far behind are left out of further rounds. Then the best two and
// the built-in choice are also tried with other parameters, and the best of all must win again
// against the built-in choice alone, in as many rounds. The times of each point are one line of
// JSON in the file of records, written by rank 0 when the point is done; a session that finds lines
// of its own shape there continues after them. When the time is over, a point that has enough
// rounds is recorded with those, and any other one is not.
#pragma once

#include <tools/tune/measure/model.hpp>
#include <tools/tune/measure/trial.hpp>
#include <tools/tune/record.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace atl::tune {

/// The place of this job in all that `atoll tune` measures, for its progress.
struct progress_place {
  std::size_t points = 0;         // of all jobs; 0: those of this one
  std::size_t points_before = 0;  // of earlier jobs, measured or not
  std::size_t points_after = 0;   // that later jobs have left to measure
  std::size_t measured = 0;       // by earlier jobs of this command
  double measured_seconds = 0;    // for which they took
  double seconds_left = 0;        // of the budget of all; 0: that of this job
};

struct measuring_plan {
  point_selection which;
  double work = 1;                // that a program computes beside an overlapped call, in calls
  bool all = false;               // leave no candidate out
  std::vector<std::string> only;  // besides the built-in choice; empty: all that there are
  unsigned rounds_max = 12;
  unsigned pass = 0;    // each pass measures all points again
  double seconds = 60;  // for all points
  std::string records;  // a file
  progress_place place;
};

class session {
 public:
  /// Collective, as are the other functions.
  session(runtime& job, const measuring_plan& chosen);

  void run();

 private:
  struct candidate {
    coll::choice tried;
    bool left_out = false;
    bool is_promising = false;     // it was near the best in an earlier pass, and is not left out
    std::vector<double> times_ns;  // of each round
  };

  std::vector<point> points_left(const std::vector<point>& points);
  std::set<std::string> points_recorded();
  void keep_promising(const point& measured, std::vector<candidate>& candidates);
  void measure(const point& measured, double seconds);
  double compute_ns(const point& measured, const coll::choice& usual);
  std::vector<candidate> candidates_of(const point& measured);
  void leave_out_slow_by_model(const point& measured, std::vector<candidate>& candidates);
  void leave_out_far_behind(std::vector<candidate>& candidates);
  bool leave_out_by_time(std::vector<candidate>& candidates, std::uint64_t calls, double seconds);
  void add_parameters(const point& measured, std::vector<candidate>& candidates);
  std::uint64_t calls_for(const point& measured, const coll::choice& usual);
  void warm_up(const point& measured, const std::vector<candidate>& candidates,
               std::uint64_t calls);
  void run_round(const point& measured, std::vector<candidate>& candidates, std::uint64_t calls,
                 unsigned round);
  void confirm(const point& measured, std::vector<candidate>& candidates, std::uint64_t calls);
  void cut_to_complete_rounds(std::vector<candidate>& candidates) const;
  void record(const point& measured, const std::vector<candidate>& candidates, std::size_t rounds);
  nlohmann::ordered_json header_of(const point& measured) const;
  tools::tune_record head_of(const point& measured) const;
  std::map<std::string, std::vector<std::string>> parameters_that_count(
      const point& measured) const;
  void report_messages() const;
  void report_progress(const point& measured, std::size_t done, std::size_t count,
                       std::size_t left) const;

  runtime& job_;
  measuring_plan plan_;
  trials::clock::time_point begin_ = trials::clock::now();
  trials trials_;
  model model_;
  std::uint64_t network_ns_;  // that a message takes between hosts; 0 on one host
  std::map<std::string, std::set<std::string>> promising_;  // by point; of rank 0 alone
  std::ofstream records_;
};

}  // namespace atl::tune
