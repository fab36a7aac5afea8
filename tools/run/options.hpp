// SPDX-License-Identifier: BSD-3-Clause
//
// The options of `atoll run`. Parsing only: nothing is looked up or opened here, so every
// refusal is about the words themselves and names the option. A plain value; prepare() turns it
// into a job.
#pragma once

#include <atoll/base/job_limits.hpp>
#include <atoll/base/rank.hpp>

#include <string>
#include <vector>

namespace atl::tools {

inline constexpr const char* usual_rsh = "ssh";

struct run_options {
  rank_id size = 0;   // 0: one rank per core that we may use
  std::string hosts;  // "a:2,b:2"; empty: this machine
  std::string hostfile;
  std::string rsh = usual_rsh;
  std::string atoll_path;            // of the atoll command on the hosts; empty: as here
  std::string interface;             // name, address or network; empty: by the route to a host
  unsigned radix = 32;               // hosts that one daemon starts
  double start_timeout_s = 60;       // for a host to connect
  double link_timeout_s = 20;        // of silence after which a host is given up
  std::vector<std::string> command;  // the program and its arguments
  std::vector<std::string> set_variables;  // "NAME=VALUE"
  std::vector<std::string> unset_variables;
  std::string launcher;  // the command that starts the ranks, with %N and %C; empty: none
  std::string directory;
  std::string bind = "none";
  bool same_addresses = false;  // without random addresses
  bool tag = false;
  std::string output_file;
  double timeout_s = 0;  // 0: none
  std::string wrap;
  std::vector<rank_id> wrap_ranks;  // empty: all
  bool debugger = false;            // `wrap` is a debugger, which handles Ctrl-C itself
  int verbose = 0;
};

/// Parses the words after `atoll run`. Prints the help and sets `done` for --help. Throws
/// `launch_refusal` with code 2 that names the option at fault.
run_options parse_run_options(std::vector<std::string> words, bool& done);

}  // namespace atl::tools
