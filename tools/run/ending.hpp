// SPDX-License-Identifier: BSD-3-Clause
//
// How a process ended, in words: exit code, signal by name and meaning, core, lack of memory. The
// kernel's out-of-memory killer sends a plain SIGKILL; its counters, of the machine and of our
// control group, are the evidence.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <cstdint>
#include <string>

namespace atl::tools {

/// The exit status that stands for a wait status: the code, or 128 + signal.
int exit_code_of(int wait_status) noexcept;

/// Whether the signal ends a program that does not handle it, and a user may send it to a job.
bool ends_by_default(int signal) noexcept;

/// Blocks SIGCHLD. Returns a descriptor that becomes readable when a child of this process has
/// ended.
descriptor open_children_signal();

/// Takes all signals that wait in such a descriptor.
void drain_signals(const descriptor& from);

/// "SIGSEGV", "signal 70".
std::string signal_name(int signal);

/// "exited with code 3", "was killed by SIGSEGV (Segmentation fault), core dumped".
std::string describe_ending(int wait_status);

/// Counters of the kernel's out-of-memory killer. The counter of a control group counts its killed
/// processes, whether a group's limit or the machine's memory was exhausted; how often groups were
/// at their limits tells the two apart.
class memory_evidence {
 public:
  /// Remembers the counters as they are now. `root` is where the kernel's files are, for tests.
  explicit memory_evidence(std::string root = "");

  /// Why a SIGKILL since then may have been for lack of memory; empty when nothing suggests that.
  std::string since() const;

 private:
  struct counts {
    std::uint64_t machine = 0;   // killed processes of the machine
    std::uint64_t group = 0;     // those of our control group
    std::uint64_t at_limit = 0;  // how often our group or one that it is in was at its limit
  };
  counts read_counts() const;

  std::string root_;
  counts first_counts_;
};

}  // namespace atl::tools
