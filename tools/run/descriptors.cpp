// SPDX-License-Identifier: BSD-3-Clause
//
// Closes descriptors by close_range(2) where the kernel has it (5.9); else those that /proc lists;
// else every number that the limit allows.
#include <atoll/base/error.hpp>
#include <tools/run/descriptors.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>
#include <vector>

namespace atl::tools {
namespace {

constexpr long close_range_call = 436;  // the same on all architectures; older headers lack it

/// The open descriptors; empty where /proc does not tell.
std::vector<int> open_descriptors() {
  std::vector<int> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir("/proc/self/fd"), closedir);
  if (!directory) return found;
  while (const dirent* entry = readdir(directory.get())) {
    const std::string_view name(entry->d_name);
    int number = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec == std::errc{})
      found.push_back(number);
  }
  return found;
}

}  // namespace

pipe_ends make_pipe(const std::string& object) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw error(object, "pipe2 failed: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  return {descriptor(ends[0]), descriptor(ends[1])};
}

void close_descriptors_from(int first) noexcept {
  if (syscall(close_range_call, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
  const auto open = open_descriptors();
  for (const int number : open)
    if (number >= first) close(number);
  if (!open.empty()) return;
  for (long number = first; number < sysconf(_SC_OPEN_MAX); ++number)
    close(static_cast<int>(number));
}

}  // namespace atl::tools
