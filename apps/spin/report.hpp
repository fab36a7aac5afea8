// SPDX-License-Identifier: BSD-3-Clause
//
// The report on rank 0: a heading, a row each time the residual has fallen by a factor of ten, on a
// terminal also a line that is redrawn with the iterations, and a table at the end; and the same
// results as JSON for programs.
#pragma once

#include <apps/spin/lanczos.hpp>
#include <apps/spin/options.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace spin {

/// The results of a run; sums are over all ranks.
struct outcome {
  lanczos_step last;
  bool converged = false;
  double exact = 0;
  bool fixed_steps = false;  // stopped after --steps iterations, converged or not
  std::int64_t time_ns = 0;  // of all iterations
  double moved_bytes = 0;    // data only
  double waited_ns = 0;
  unsigned ranks = 1;

  double relative_difference() const;
  /// Whether it has converged and the energy differs from the exact one by at most 1e-10 of it;
  /// with fixed steps, whether the energy is not below the exact one.
  bool right() const;
  double flips_per_s(const chain& model) const;
};

/// One variant's outcomes, round by round.
struct trial {
  std::string name;
  std::vector<outcome> rounds;
  bool same_bits = true;  // as the first variant's

  double seconds() const;  // the median of the rounds
};

class report {
 public:
  /// Prints nothing unless `speak`.
  report(const options& chosen, bool speak);
  report(const report&) = delete;
  report& operator=(const report&) = delete;

  void heading(const division& plan, const std::string& backend) const;
  void columns() const;
  void progress(const lanczos_step& now);
  void summary(const outcome& result);
  void table(const std::vector<trial>& trials) const;

 private:
  void live_line(const lanczos_step& now, std::int64_t elapsed_ns) const;

  const options& chosen_;
  bool speak_;
  bool live_;  // the output is a terminal
  std::int64_t start_ns_;
  std::int64_t shown_ns_ = 0;  // when the live line was last drawn
  double first_residual_ = 0;
  double next_row_ = 1;  // the residual at which the next row is due
  unsigned rows_ = 0;
};

/// Writes the outcomes to chosen.json_path, the fastest variant's first figures at the top; throws
/// `atl::error` when the file cannot be written.
void write_json(const options& chosen, const std::string& backend,
                const std::vector<trial>& trials);

}  // namespace spin
