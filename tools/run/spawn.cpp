// SPDX-License-Identifier: BSD-3-Clause
//
// The child half runs between vfork and exec on the parent's stack: system calls only.
#include <tools/run/spawn.hpp>

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>

namespace atl::tools {
namespace {

/// Gives `from` the number `to`, open across exec. dup2 of a number to itself keeps close-on-exec,
/// but the launcher's own 0, 1 and 2 never have that flag.
bool place(int from, int to) noexcept { return from == to || dup2(from, to) == to; }

void reset_signals(const spawn_order& order) noexcept {
  if (!order.ignore_sigpipe) signal(SIGPIPE, SIG_DFL);
  sigprocmask(SIG_SETMASK, &order.signal_mask, nullptr);
}

/// Returns only when something failed.
bool become_rank(const spawn_order& order, pid_t warden) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != warden) _exit(127);  // it died before the line above
  if (order.cores) sched_setaffinity(0, sizeof *order.cores, order.cores);
  setrlimit(RLIMIT_NOFILE, &order.open_files);
  if (!place(order.input, 0) || !place(order.output, 1) || !place(order.errors, 2)) return false;
  if (order.directory && chdir(order.directory) != 0) return false;
  reset_signals(order);
  execve(order.path, order.arguments, order.environment);
  return true;
}

}  // namespace

spawn_result spawn(const spawn_order& order) noexcept {
  volatile int failure = 0;
  volatile bool from_exec = false;
  const pid_t warden = getpid();
  const pid_t child = vfork();
  if (child == 0) {
    from_exec = become_rank(order, warden);
    failure = errno;
    _exit(127);
  }
  if (child < 0) return {.pid = -1, .error_number = errno};
  return {.pid = failure == 0 ? child : -1, .error_number = failure, .from_exec = from_exec};
}

}  // namespace atl::tools
