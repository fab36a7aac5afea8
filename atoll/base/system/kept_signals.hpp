// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps the actions of signals while code loads a foreign library. Loading runs the library's
// constructors, and some catch signals there: those of Omni-Path, which libfabric brings along, end
// the process with a code of their own for SIGSEGV as for SIGTERM. Then the reason for a rank's
// death is lost, and the program's own handler does not run. (The libraries' own variables that
// turn this off would have to be set in the environment, which other threads may be reading.)
//
// Their handlers call exit(), which can wait for ever for a lock that the interrupted load holds.
// So signals by which others end a process stay pending in the calling thread until the actions are
// restored. Threads that the library starts meanwhile do not take such signals at all.
#pragma once

#include <signal.h>

#include <array>
#include <mutex>

namespace atl {

/// Remembers the action of every signal, and at its end restores the actions that have changed. A
/// handler that another thread installs meanwhile is lost, too. SIGHUP, SIGINT, SIGQUIT and SIGTERM
/// that come to this thread meanwhile are delivered after that, so only SIGKILL ends a load that
/// hangs. Any thread: one object waits for that of another thread, or it would remember, and keep,
/// changes that the other is about to undo. Objects of one thread may nest.
class kept_signals {
 public:
  kept_signals() noexcept;
  kept_signals(const kept_signals&) = delete;
  kept_signals& operator=(const kept_signals&) = delete;
  ~kept_signals();

 private:
  static std::recursive_mutex one_thread;

  std::lock_guard<std::recursive_mutex> hold_{one_thread};
  sigset_t mask_;
  std::array<struct sigaction, NSIG> saved_{};
};

}  // namespace atl
