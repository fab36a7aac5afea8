// SPDX-License-Identifier: BSD-3-Clause
//
// Where the kernel keeps the limits of the control groups (cgroups) that this process is in.
// Containers and batch systems limit processors and memory with them, and a runtime that believed
// the machine's numbers would be killed for it. Both versions of the interface are read. Every
// group from our own up to the root of what is visible may hold a limit, and the smallest counts.
// Inside a container the path in /proc/self/cgroup may be the host's and not exist here; then the
// visible root is our group.
//
// All readers take the root of the file system as an argument, so that tests can build a made-up
// one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

/// The directories of this process's control groups for one controller, innermost first.
struct control_group {
  int version = 2;
  std::vector<std::string> directories;
};

/// Finds the groups of a controller ("memory", "cpu") under `root`/proc and `root`/sys; without
/// any, the list of directories is empty.
control_group find_control_group(std::string_view controller, const std::string& root = "");

/// The content of a small text file without trailing newlines, at most 64 KiB; nothing when the
/// file cannot be read.
std::optional<std::string> read_small_file(const std::string& path);

/// The number that a file or a line starts with; nothing when it does not ("max", "-1", empty).
std::optional<std::uint64_t> leading_number(std::string_view text) noexcept;

/// The number after `key` and blanks or a colon at the start of one of the lines ("MemTotal: 5
/// kB").
std::optional<std::uint64_t> number_after(std::string_view key, std::string_view lines) noexcept;

}  // namespace atl
