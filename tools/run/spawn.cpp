// SPDX-License-Identifier: BSD-3-Clause
//
// The child half shares the launcher's memory and runs on a stack of its own until exec: system
// calls only, no allocation, no locks. One launcher has one thread, so one stack serves all starts.
#include <tools/run/spawn.hpp>

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

// The C library's clone under its other name. The thread sanitizer replaces `clone` by a function
// that fails when the child shares the caller's memory.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int __clone(int (*run)(void*), void* stack, int flags, void* argument, ...);

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
bool become_rank(const spawn_order& order, pid_t launcher) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) return false;  // it died before the line above
  if (order.cores) sched_setaffinity(0, sizeof *order.cores, order.cores);
  setrlimit(RLIMIT_NOFILE, &order.open_files);
  if (order.core_file) setrlimit(RLIMIT_CORE, order.core_file);
  if (!place(order.input, 0) || !place(order.output, 1) || !place(order.errors, 2)) return false;
  if (order.directory && chdir(order.directory) != 0) return false;
  reset_signals(order);
  execve(order.path, order.arguments, order.environment);
  return true;
}

/// The data that the child reads and writes in the memory that it borrows.
struct start {
  const spawn_order& order;
  pid_t launcher;
  int failure = 0;
  bool from_exec = false;
};

int child(void* argument) noexcept {
  auto& begun = *static_cast<start*>(argument);
  begun.from_exec = become_rank(begun.order, begun.launcher);
  begun.failure = errno;
  return 127;  // the exit status; nobody sees it
}

constexpr std::size_t stack_bytes = 64 * 1024;
alignas(64) std::byte stack[stack_bytes];

}  // namespace

spawn_result spawn(const spawn_order& order) noexcept {
  start begun{.order = order, .launcher = getpid()};
  const pid_t pid = __clone(child, stack + stack_bytes, CLONE_VM | CLONE_VFORK | SIGCHLD, &begun);
  if (pid < 0) return {.pid = -1, .error_number = errno};
  return {.pid = begun.failure == 0 ? pid : -1,
          .error_number = begun.failure,
          .from_exec = begun.from_exec};
}

}  // namespace atl::tools
