// SPDX-License-Identifier: BSD-3-Clause
//
// Wait statuses and out-of-memory counters. Control groups of both versions are understood: v2 has
// memory.events, v1 memory.oom_control, both with a line "oom_kill N".
#include <tools/run/ending.hpp>

#include <sys/wait.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>

namespace atl::tools {
namespace {

/// The number after `key` at the start of a line, 0 when there is none.
std::uint64_t number_in(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  while (file >> word >> number)
    if (word == key) return number;
  return 0;
}

/// The folder of this process's memory control group, empty when there is none.
std::string memory_group() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  std::string found;
  while (std::getline(file, line)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    if (controllers == "memory") return "/sys/fs/cgroup/memory" + group;
    if (controllers.empty()) found = "/sys/fs/cgroup" + group;
  }
  return found;
}

}  // namespace

int exit_code_of(int wait_status) noexcept {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
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

memory_evidence::memory_evidence() : before_(read_counts()) {}

memory_evidence::counts memory_evidence::read_counts() {
  counts now;
  now.machine = number_in("/proc/vmstat", "oom_kill");
  const auto group = memory_group();
  if (group.empty()) return now;
  now.group = number_in(group + "/memory.events", "oom_kill") +
              number_in(group + "/memory.oom_control", "oom_kill");
  return now;
}

std::string memory_evidence::since() const {
  const auto now = read_counts();
  if (now.group > before_.group)
    return "out of memory: the kernel ended it at the memory limit of the control group";
  if (now.machine > before_.machine)
    return "out of memory: the kernel ended a process for lack of memory at that time";
  return {};
}

}  // namespace atl::tools
