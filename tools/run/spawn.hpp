// SPDX-License-Identifier: BSD-3-Clause
//
// Starts one rank as vfork does, because the launcher may do this thousands of times: the
// child borrows our memory until it executes, so it may only make system calls and write down why
// exec failed. It asks the kernel to be killed when the launcher's process dies, undoes what that
// process changed for itself (signal mask, SIGPIPE, descriptor limit), and takes its place:
// standard streams, cores.
#pragma once

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>

namespace atl::tools {

/// Everything a child needs, prepared before: pointers stay valid during the call.
struct spawn_order {
  const char* path = nullptr;  // absolute, or relative to the working directory
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const char* directory = nullptr;  // working directory; null keeps it
  int input = 0;                    // descriptors to become 0, 1 and 2
  int output = 1;
  int errors = 2;
  const cpu_set_t* cores = nullptr;  // null: as the launcher
  sigset_t signal_mask{};
  bool ignore_sigpipe = false;
  rlimit open_files{};
  const rlimit* core_file = nullptr;  // null: as the launcher
};

struct spawn_result {
  pid_t pid = -1;  // -1: not started
  int error_number = 0;
  bool from_exec = false;  // the error is the program's, not the machine's
};

/// The calling thread must be the one that outlives the ranks: its death kills them.
spawn_result spawn(const spawn_order& order) noexcept;

}  // namespace atl::tools
