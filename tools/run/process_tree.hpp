// SPDX-License-Identifier: BSD-3-Clause
//
// Processes below this one. Both launcher processes are child subreapers, so whatever a rank starts
// stays below them, also after its parent has died and if it made a session of its own: walking
// down the parent numbers in /proc finds all of it, and no process group or control group is
// needed.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace atl::tools {

/// Orphans below this process become its children. Throws `atl::error`.
void become_subreaper();

/// All processes of the machine at one moment, zombies too, whose threads may still live.
class process_table {
 public:
  process_table();

  /// Everything below `root`, parents before children.
  std::vector<pid_t> below(pid_t root) const;

 private:
  std::vector<std::pair<pid_t, pid_t>> parent_and_child_;  // in order
};

/// Sends a signal to every descendant of this process; returns how many it found.
std::size_t signal_descendants(int signal) noexcept;

/// Kills all descendants of this process and reaps them, repeating until none is left or the
/// time is over. Returns false if one would not die.
bool kill_descendants(int timeout_ms) noexcept;

/// One line about a process: command, state, where it sleeps, processor time. Empty if it is gone.
std::string describe_process(pid_t pid);

}  // namespace atl::tools
