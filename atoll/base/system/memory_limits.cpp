// SPDX-License-Identifier: BSD-3-Clause
//
// Reads /proc/meminfo for the machine; memory.max, memory.current and memory.stat (version 2) or
// memory.limit_in_bytes, memory.usage_in_bytes and memory.stat (version 1) for each group. A group
// without a limit says "max", or in version 1 a number near 2^63, which is above any machine's
// total.
#include <atoll/base/system/control_group.hpp>
#include <atoll/base/system/memory_limits.hpp>

#include <unistd.h>

#include <algorithm>
#include <exception>

namespace atl {
namespace {

struct group_files {
  const char* limit;
  const char* usage;
  const char* inactive_files;  // lines of memory.stat, children included
  const char* active_files;
};

constexpr group_files files_v1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                  "total_inactive_file", "total_active_file"};
constexpr group_files files_v2 = {"/memory.max", "/memory.current", "inactive_file", "active_file"};

std::optional<std::uint64_t> read_number(const std::string& path) {
  return leading_number(read_small_file(path).value_or(""));
}

void read_machine(memory_limits& limits, const std::string& root) {
  const std::string lines = read_small_file(root + "/proc/meminfo").value_or("");
  auto pages = [](int name) {
    return static_cast<std::uint64_t>(::sysconf(name)) * kernel_page_bytes();
  };
  const auto total_kib = number_after("MemTotal", lines);
  const auto available_kib = number_after("MemAvailable", lines);
  limits.machine_total_bytes = total_kib ? *total_kib * 1024 : pages(_SC_PHYS_PAGES);
  limits.machine_available_bytes = available_kib ? *available_kib * 1024 : pages(_SC_AVPHYS_PAGES);
}

/// The memory that a group uses and could not give back.
std::uint64_t firm_usage(const std::string& directory, const group_files& files) {
  const std::string lines = read_small_file(directory + "/memory.stat").value_or("");
  const auto usage = read_number(directory + files.usage).value_or(0);
  const auto cache = number_after(files.inactive_files, lines).value_or(0) +
                     number_after(files.active_files, lines).value_or(0);
  return usage - std::min(usage, cache);
}

void apply_group(memory_limits& limits, const std::string& directory, const group_files& files) {
  const auto limit = read_number(directory + files.limit);
  if (!limit || *limit >= limits.machine_total_bytes) return;
  const auto usage = firm_usage(directory, files);
  limits.total_bytes = std::min(limits.total_bytes, *limit);
  limits.available_bytes = std::min(limits.available_bytes, *limit - std::min(usage, *limit));
  if (limits.group_limit_bytes == 0 || *limit < limits.group_limit_bytes) {
    limits.group_limit_bytes = *limit;
    limits.group_usage_bytes = usage;
  }
}

}  // namespace

memory_limits read_memory_limits(const std::string& root) {
  memory_limits limits;
  read_machine(limits, root);
  limits.total_bytes = limits.machine_total_bytes;
  limits.available_bytes = limits.machine_available_bytes;
  const auto group = find_control_group("memory", root);
  for (const auto& directory : group.directories)
    apply_group(limits, directory, group.version == 1 ? files_v1 : files_v2);
  return limits;
}

std::uint64_t read_available_memory() noexcept {
  try {
    return read_memory_limits().available_bytes;
  } catch (const std::exception&) {
    return 0;
  }
}

std::size_t kernel_page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace atl
