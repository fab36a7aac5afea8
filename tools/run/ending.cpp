// SPDX-License-Identifier: BSD-3-Clause
//
// Reads wait statuses and out-of-memory counters. Control groups of both versions are understood:
// v2 has memory.events, v1 memory.oom_control, both with a line "oom_kill N".
#include <atoll/base/control_group.hpp>
#include <tools/run/ending.hpp>

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace atl::tools {
namespace {

std::uint64_t kills_in(const std::string& path) {
  const auto lines = read_small_file(path);
  return lines ? number_after("oom_kill", *lines).value_or(0) : 0;
}

}  // namespace

int exit_code_of(int wait_status) noexcept {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

bool ends_by_default(int signal) noexcept {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

descriptor open_children_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void drain_signals(const descriptor& from) {
  signalfd_siginfo info[16];
  while (read(from.get(), info, sizeof info) > 0) {
  }
}

std::string signal_name(int signal) {
  const char* name = sigabbrev_np(signal);
  return name ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

std::string describe_ending(int wait_status) {
  if (!WIFSIGNALED(wait_status))
    return "exited with code " + std::to_string(WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  std::string text = "was killed by " + signal_name(signal);
  if (const char* meaning = sigdescr_np(signal)) text += std::string(" (") + meaning + ")";
  if (WCOREDUMP(wait_status)) text += ", core dumped";
  return text;
}

memory_evidence::memory_evidence() : first_counts_(read_counts()) {}

memory_evidence::counts memory_evidence::read_counts() {
  counts now;
  now.machine = kills_in("/proc/vmstat");
  const auto group = find_control_group("memory");
  if (group.directories.empty()) return now;
  now.group = kills_in(group.directories.front() +
                       (group.version == 2 ? "/memory.events" : "/memory.oom_control"));
  return now;
}

std::string memory_evidence::since() const {
  const auto now = read_counts();
  if (now.group > first_counts_.group)
    return "out of memory: the kernel ended it at the memory limit of the control group";
  if (now.machine > first_counts_.machine)
    return "out of memory: the kernel ended a process for lack of memory at that time";
  return {};
}

}  // namespace atl::tools
