// SPDX-License-Identifier: BSD-3-Clause
//
// Reads wait statuses and out-of-memory counters. Control groups of both versions are understood:
// v2 has memory.events, v1 memory.oom_control, both with a line "oom_kill N". That line counts the
// group's processes that were killed for any lack of memory.
#include <atoll/base/system/control_group.hpp>
#include <tools/run/ending.hpp>

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <utility>

namespace atl::tools {
namespace {

std::uint64_t count_in(const std::string& path, std::string_view key) {
  const auto lines = read_small_file(path);
  return lines ? number_after(key, *lines).value_or(0) : 0;
}

/// How often an allocation found this group at its limit. Version 2 counts the failed ones, in a
/// file of the group alone since Linux 5.2; version 1 counts those that freed memory first too.
std::uint64_t times_at_limit(const std::string& directory, int version) {
  if (version == 1) {
    const auto count = read_small_file(directory + "/memory.failcnt");
    return count ? leading_number(*count).value_or(0) : 0;
  }
  const std::string alone = directory + "/memory.events.local";
  return count_in(read_small_file(alone) ? alone : directory + "/memory.events", "oom");
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
  sigprocmask(SIG_BLOCK, &set, nullptr);
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

memory_evidence::memory_evidence(std::string root)
    : root_(std::move(root)), first_counts_(read_counts()) {}

memory_evidence::counts memory_evidence::read_counts() const {
  counts now;
  now.machine = count_in(root_ + "/proc/vmstat", "oom_kill");
  const auto group = find_control_group("memory", root_);
  if (group.directories.empty()) return now;
  const std::string& own = group.directories.front();
  now.group = group.version == 2 ? count_in(own + "/memory.events", "oom_kill")
                                 : count_in(own + "/memory.oom_control", "oom_kill");
  for (const std::string& each : group.directories)
    now.at_limit += times_at_limit(each, group.version);
  return now;
}

std::string memory_evidence::since() const {
  const auto now = read_counts();
  if (now.group > first_counts_.group) {
    return now.at_limit > first_counts_.at_limit
               ? "out of memory: the kernel ended it at the memory limit of the control group"
               : "out of memory: the kernel ended it because the machine had no memory left";
  }
  if (now.machine > first_counts_.machine)
    return "out of memory: the kernel ended a process for lack of memory at that time";
  return {};
}

}  // namespace atl::tools
