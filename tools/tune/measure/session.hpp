// SPDX-License-Identifier: BSD-3-Clause
//
// Measures points one after the other within a budget of time. At each point all candidates take
// turns in rounds, so that a disturbance of the machine hits all of them. Candidates that a model
// or the first rounds show to be far behind are left out of further rounds. Then the best two and
// the built-in choice are also tried with other parameters, and the best of all must win again
// against the built-in choice alone, in as many rounds. The times of each point are one line of
// JSON in the file of records, written by rank 0 when the point is done; a session that finds lines
// of its own shape there continues after them.
#pragma once

#include <tools/tune/measure/model.hpp>
#include <tools/tune/measure/trial.hpp>

#include <cstdint>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace atl::tune {

struct measuring_plan {
  std::vector<coll::collective> collectives;
  std::vector<std::size_t> sizes;
  bool in_flight = false;         // also calls that do not block
  bool all = false;               // leave no candidate out
  std::vector<std::string> only;  // besides the built-in choice; empty: all that there are
  unsigned rounds_max = 12;
  unsigned pass = 0;    // each pass measures all points again
  double seconds = 60;  // for all points
  std::string records;  // a file
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
    std::vector<double> times_ns;  // of each round
  };

  std::vector<point> points_left();
  std::set<std::string> points_recorded() const;
  void measure(const point& measured, double seconds);
  std::vector<candidate> candidates_of(const point& measured);
  void leave_out_slow_by_model(const point& measured, std::vector<candidate>& candidates);
  void leave_out_far_behind(std::vector<candidate>& candidates);
  void add_parameters(const point& measured, std::vector<candidate>& candidates);
  std::uint64_t calls_for(const point& measured, const coll::choice& usual);
  void warm_up(const point& measured, const std::vector<candidate>& candidates);
  void run_round(const point& measured, std::vector<candidate>& candidates, std::uint64_t calls,
                 unsigned round);
  void confirm(const point& measured, std::vector<candidate>& candidates, std::uint64_t calls);
  void record(const point& measured, const std::vector<candidate>& candidates, std::size_t rounds);
  std::map<std::string, std::vector<std::string>> parameters_that_count(
      const point& measured) const;
  void report_progress(const point& measured, std::size_t done, std::size_t count,
                       double seconds_left) const;

  runtime& job_;
  measuring_plan plan_;
  trials trials_;
  model model_;
  std::ofstream records_;
};

}  // namespace atl::tune
