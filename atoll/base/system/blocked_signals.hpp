// SPDX-License-Identifier: BSD-3-Clause
//
// Keeps signals away from a thread for the length of a scope. A thread that is made meanwhile
// inherits the mask, so all of the library's own threads are made in such a scope: signals are for
// the program's threads. One that blocks SIGTERM everywhere and waits for it in sigwait() would
// otherwise be ended by it, in a thread that it does not know.
#pragma once

#include <signal.h>

namespace atl {

/// Blocks every signal in the calling thread, except those that a fault of the thread itself
/// raises: blocked, they would end the process without the program's handler. Objects may nest.
class blocked_signals {
 public:
  blocked_signals() noexcept {
    sigset_t blocked;
    ::sigfillset(&blocked);
    for (const int fault : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP})
      ::sigdelset(&blocked, fault);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &saved_);
  }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
  ~blocked_signals() { ::pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }

 private:
  sigset_t saved_;
};

}  // namespace atl
