// SPDX-License-Identifier: BSD-3-Clause
//
// Reads /proc. Processes come and go while it is read; a process that is missed has a parent that
// was seen, so callers that must get everything repeat until nothing is found.
#include <atoll/base/error.hpp>
#include <atoll/base/system/control_group.hpp>
#include <atoll/base/system/descriptor.hpp>
#include <tools/run/process_tree.hpp>

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

namespace atl::tools {
namespace {

std::string file_of(pid_t pid, const char* name) {
  return read_small_file("/proc/" + std::to_string(pid) + "/" + name).value_or("");
}

/// The fields of /proc/PID/stat. The command may hold spaces and parentheses: it ends at the last
/// ).
struct stat_fields {
  std::string command;
  char state = '?';
  pid_t parent = 0;
  unsigned long ticks = 0;  // user and system time
  unsigned long long started = 0;
};

bool read_stat(pid_t pid, stat_fields& fields) {
  const auto text = file_of(pid, "stat");
  const auto open_at = text.find('(');
  const auto close_at = text.rfind(')');
  if (open_at == std::string::npos || close_at == std::string::npos || close_at < open_at)
    return false;
  fields.command = text.substr(open_at + 1, close_at - open_at - 1);
  unsigned long user = 0;
  unsigned long system = 0;
  const int taken =
      std::sscanf(text.c_str() + close_at + 1,
                  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu",
                  &fields.state, &fields.parent, &user, &system, &fields.started);
  fields.ticks = user + system;
  return taken == 5;
}

std::string state_text(char state) {
  switch (state) {
    case 'R':
      return "running";
    case 'S':
      return "sleeping";
    case 'D':
      return "waiting for the kernel";
    case 'T':
      return "stopped";
    case 't':
      return "stopped by a debugger";
    case 'Z':
      return "ended";
    default:
      return std::string("in state ") + state;
  }
}

}  // namespace

void become_subreaper() {
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
    throw error("launcher", "cannot adopt orphans: " + errno_text(errno), "");
}

process_table::process_table() {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc"), closedir);
  if (!directory) return;
  while (const dirent* found = readdir(directory.get())) {
    const std::string_view name(found->d_name);
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    stat_fields fields;
    if (read_stat(pid, fields))
      entries_.push_back({.parent = fields.parent, .child = {pid, fields.started}});
  }
  std::ranges::sort(entries_, {},
                    [](const entry& each) { return std::pair(each.parent, each.child.pid); });
}

std::vector<process> process_table::below(pid_t root) const {
  std::vector<process> found{{.pid = root}};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto children = std::ranges::equal_range(entries_, found[i].pid, {}, &entry::parent);
    for (const entry& each : children) found.push_back(each.child);
  }
  found.erase(found.begin());
  return found;
}

/// The descriptor is opened before the start time is read: a process that has the number and the
/// start time then is the one that the descriptor was opened for. Without a descriptor (a kernel
/// before 5.3, or none left) only the check of the start time protects others.
bool signal_process(const process& seen, int signal) noexcept {
  const descriptor handle(static_cast<int>(syscall(SYS_pidfd_open, seen.pid, 0)));
  if (!handle && errno == ESRCH) return false;
  stat_fields now;
  if (!read_stat(seen.pid, now) || now.started != seen.started) return false;
  if (!handle) return kill(seen.pid, signal) == 0;
  return syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, 0) == 0;
}

std::size_t signal_descendants(int signal) noexcept {
  const auto found = process_table().below(getpid());
  for (const process& each : found) signal_process(each, signal);
  return found.size();
}

bool kill_descendants() noexcept {
  constexpr int within_ms = 5000;
  constexpr int step_ms = 5;
  for (int waited_ms = 0; waited_ms <= within_ms; waited_ms += step_ms) {
    pid_t reaped;
    do {
      reaped = waitpid(-1, nullptr, WNOHANG);
    } while (reaped > 0);
    if (reaped < 0) return true;  // no children, so no descendants
    signal_descendants(SIGKILL);
    usleep(step_ms * 1000);
  }
  return false;
}

std::string describe_process(pid_t pid) {
  stat_fields fields;
  if (!read_stat(pid, fields)) return {};
  std::string line =
      fields.command + " (pid " + std::to_string(pid) + ") " + state_text(fields.state);
  const auto wait_channel = file_of(pid, "wchan");
  if (!wait_channel.empty() && wait_channel != "0") line += " in " + wait_channel;
  const double seconds =
      static_cast<double>(fields.ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
  char time[48];
  std::snprintf(time, sizeof time, ", %.2f s of processor time", seconds);
  return line + time;
}

}  // namespace atl::tools
