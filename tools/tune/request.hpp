// SPDX-License-Identifier: BSD-3-Clause
//
// The request to `atoll tune`: its options, and what they mean once they are checked. All that can
// be wrong with them is found before the first job starts, and is said once.
#pragma once

#include <atoll/base/settings.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <tools/tune/measure/points.hpp>
#include <tools/tune/records_file.hpp>

#include <string>
#include <vector>

namespace atl::tools {

struct tune_request {
  std::vector<unsigned> ranks;
  std::string hosts, rsh;
  std::vector<std::string> sizes, collectives;  // as they were given; none: the usual ones
  std::string form = "both";
  double work = 1;
  std::vector<unsigned> elements{tune::usual_element_bytes};
  bool in_order = false;
  bool strict = false;
  double seconds = 300;
  unsigned rounds = 16;
  unsigned passes = 0;  // 0: three, and more where there is time
  bool all = false;
  bool fresh = false;
  std::string output = coll::user_table_path();
  std::string records;

  tune::point_selection which;  // set by check()

  std::vector<tune::point> points(unsigned job_ranks) const;
  /// As `atoll run` places the ranks. Throws `launch_refusal` where there are too few slots.
  tune::job_layout layout(unsigned job_ranks) const;
  unsigned passes_least() const { return passes != 0 ? passes : 3; }
};

/// Fills in what was not given. Throws `launch_refusal` with code 2 for what cannot be measured.
void check(tune_request& request);

/// The file of records of a checked request, made anew if it says so. Throws `atl::error`, and
/// leaves all files and folders as they were, where a file cannot be written, is no file of records
/// or is that of another command.
records_file open_files(const tune_request& request);

/// Refuses settings of this process that its jobs would have too and that change what they measure,
/// by a `launch_refusal` with code 2: jobs without them would use the table as well.
void check_settings(const settings& current);

/// The numbers of ranks that are measured where none are given: 2, 4, ... 64 up to the number of
/// cores, that number itself, and twice as many, which share cores.
std::vector<unsigned> usual_ranks(unsigned cores);

/// A line for the user where other programs already have the cores; else empty. `load` is the mean
/// number of threads that run.
std::string busy_warning(double load, unsigned cores);

}  // namespace atl::tools
