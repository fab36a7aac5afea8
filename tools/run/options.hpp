// SPDX-License-Identifier: BSD-3-Clause
//
// What the user asked `atoll run` for. Parsing only: nothing is looked up or opened here, so every
// refusal is about the words themselves and names the option. A plain value; prepare() turns it
// into a job.
#pragma once

#include <atoll/base/rank.hpp>

#include <string>
#include <vector>

namespace atl::tools {

struct run_options {
  rank_id size = 0;                        // 0: one rank per core that we may use
  std::vector<std::string> command;        // the program and its arguments
  std::vector<std::string> set_variables;  // "NAME=VALUE"
  std::vector<std::string> unset_variables;
  std::string directory;
  std::string bind = "none";
  bool same_addresses = false;  // the kernel places nothing at random
  bool tag = false;
  std::string output_file;
  double timeout_s = 0;  // 0: none
  std::string wrap;
  std::vector<rank_id> wrap_ranks;  // empty: all
  bool debugger = false;            // `wrap` is a debugger: Ctrl-C is its business
  int verbose = 0;
};

inline constexpr rank_id ranks_max = 16384;

/// Parses the words after `atoll run`. Prints the help and sets `done` for --help. Throws
/// `launch_refusal` with code 2 that names the option at fault.
run_options parse_run_options(std::vector<std::string> words, bool& done);

}  // namespace atl::tools
