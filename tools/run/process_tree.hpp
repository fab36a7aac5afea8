// SPDX-License-Identifier: BSD-3-Clause
//
// Processes below this one, and signals to them. Both launcher processes are child subreapers, so
// whatever a rank starts stays below them, also after its parent has died and if it made a session
// of its own: walking down the parent numbers in /proc finds all of it, and no process group or
// control group is needed.
//
// The parent of a process that is not our own child may wait for it at any moment, and the kernel
// may then give its number to another process. So it is signalled by a pidfd that is known to be
// that of the process seen.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace atl::tools {

/// Orphans below this process become its children. Throws `atl::error`.
void become_subreaper();

/// A process as it was seen. Another one may get its number soon; number and start time together
/// are unique.
struct process {
  pid_t pid = 0;
  std::uint64_t started = 0;  // in ticks of the kernel since the machine started
};

/// All processes of the machine at one moment, zombies too, whose threads may still live.
class process_table {
 public:
  process_table();

  /// Everything below `root`, parents before children.
  std::vector<process> below(pid_t root) const;

 private:
  struct entry {
    pid_t parent;
    process child;
  };
  std::vector<entry> entries_;  // by parent, then child
};

/// Sends a signal to the process that was seen, and to no other that has its number by now.
/// False when it has ended.
bool signal_process(const process& seen, int signal) noexcept;

/// Sends a signal to every descendant of this process; returns how many it found.
std::size_t signal_descendants(int signal) noexcept;

/// Kills all descendants of this process and reaps them, repeating until none is left or five
/// seconds are over. Returns false if one would not die.
bool kill_descendants() noexcept;

/// One line about a process: command, state, where it sleeps, processor time. Empty if it is gone.
std::string describe_process(pid_t pid);

}  // namespace atl::tools
