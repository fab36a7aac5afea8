// SPDX-License-Identifier: BSD-3-Clause
//
// Loading a library runs its constructors, and some catch signals there: those of Omni-Path, which
// libfabric brings along, end the process with a code of their own for SIGSEGV as for SIGTERM. Then
// nobody can tell what a rank has died of, nor does the program's own handler run. So whoever loads
// what others have written keeps one of these meanwhile. (Their own variables that turn this off
// would have to be set in the environment, which other threads of the program may be reading.)
#pragma once

#include <signal.h>

#include <array>
#include <mutex>

namespace atl {

/// Remembers what every signal does, and at its end makes those do so again that were changed. A
/// handler that another thread installs meanwhile is lost, too. Any thread: one waits for
/// another's, or it would remember, and keep, what that is about to undo. They may lie in each
/// other.
class kept_signals {
 public:
  kept_signals() noexcept;
  kept_signals(const kept_signals&) = delete;
  kept_signals& operator=(const kept_signals&) = delete;
  ~kept_signals();

 private:
  static std::recursive_mutex one_thread;

  std::lock_guard<std::recursive_mutex> hold_{one_thread};
  std::array<struct sigaction, NSIG> before_{};
};

}  // namespace atl
