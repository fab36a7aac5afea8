// SPDX-License-Identifier: BSD-3-Clause
//
// A job made ready: what the foreground process has looked up and checked before it forks the
// supervisor, and the messages between the two afterwards. All refusals happen while this is made,
// so they come before any rank exists.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/bootstrap/job_address.hpp>
#include <tools/run/options.hpp>

#include <sched.h>
#include <sys/resource.h>

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace atl::tools {

/// The part of the job's ranks that this machine has.
struct placement {
  rank_id first = 0;                 // the first rank here; options.size follow
  rank_id job_size = 0;              // ranks of the whole job
  std::vector<rank_id> host_firsts;  // first rank of each host; empty: this is the only one
  std::string host;                  // the name that the user gave this host; empty likewise
};

struct launch {
  run_options options;
  placement place;
  bootstrap::job_address job;
  std::string program;                   // path to execute
  std::vector<std::string> wrapper;      // words before the program, the first one as typed
  std::string wrapper_program;           // path of the first
  std::vector<std::string> environment;  // "NAME=VALUE", all but ATOLL_RANK
  std::vector<cpu_set_t> places;         // rank r is bound to places[r % size]; empty: not bound
  sigset_t signal_mask{};                // as the user's shell gave it to us
  bool ignore_sigpipe = false;
  rlimit open_files{};
  std::string warning;  // for the user; empty: none
};

/// Looks everything up, checks it and raises the descriptor limit of this process. `options.size`
/// counts the ranks of this machine; without a placement they are the whole job. Throws
/// `launch_refusal` or `atl::error`.
launch prepare(run_options options, placement place = {});

/// Refuses settings that make no sense in "NAME=VALUE" strings, and warns of unknown ones.
void check_settings(const std::vector<std::string>& environment);

/// From the foreground process to the supervisor: a signal that somebody sent to the launcher.
struct signal_order {
  unsigned char signal = 0;
  bool from_terminal = false;  // the ranks, in the same process group, have got it too
};

/// From the supervisor to the foreground process, once: how the launcher shall end.
struct launch_outcome {
  unsigned char code = 0;
  unsigned char signal = 0;  // not 0: end by this signal, so that the user's shell sees it
};

/// Runs a job on this host in this process; `control` is the socket to the foreground process.
launch_outcome run_on_this_host(const launch& job, int control);

/// The names of the launcher's processes in ps, of at most 15 characters.
inline constexpr const char* supervisor_name = "atoll-supervise";
inline constexpr const char* host_ranks_name = "atoll-ranks";

/// The second process of the launcher runs this until the job has ended; the socket leads to the
/// foreground process.
using second_process = std::function<launch_outcome(const launch&, int control)>;

/// The foreground process: forks the second one and waits for it. Returns the exit status.
int run_foreground(launch job, const second_process& second);

/// A line of the launcher on standard error, in one write.
void say(const std::string& line);

}  // namespace atl::tools
