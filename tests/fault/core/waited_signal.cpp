// SPDX-License-Identifier: BSD-3-Clause
//
// A rank that waits for SIGTERM as programs do: its threads block the signal, and one waits for it.
// The library's threads (of progress, of a network, of the launcher's connections) exist already,
// and must not take the signal, which would end the rank.
#include <atoll/core/job/runtime.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdio>

int main() {
  atl::runtime job({.threads = atl::thread_mode::any});
  sigset_t waited;
  ::sigemptyset(&waited);
  ::sigaddset(&waited, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &waited, nullptr);
  job.world().barrier();
  ::kill(::getpid(), SIGTERM);
  int received = 0;
  ::sigwait(&waited, &received);
  job.world().barrier();
  if (received != SIGTERM) std::fputs("waited_signal: another signal came\n", stderr);
  return received == SIGTERM ? 0 : 1;
}
