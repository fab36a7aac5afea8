// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory this process may use: the machine's and, where it is in a control group, the
// group's. The segment heap asks before it hands out memory, so that running out is an error value
// instead of a kill. Page cache of files counts as available, since the kernel gives it up on
// demand; memory files (our own segments) and swap do not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace atl {

/// Memory in bytes at one moment.
struct memory_limits {
  std::uint64_t total_bytes = 0;      // the smaller of the machine's and the groups' limits
  std::uint64_t available_bytes = 0;  // of total, what can still be touched without being killed
  std::uint64_t machine_total_bytes = 0;
  std::uint64_t machine_available_bytes = 0;
  std::uint64_t group_limit_bytes = 0;  // the smallest limit of a control group; 0: none
  std::uint64_t group_usage_bytes = 0;  // of that group, page cache of files not counted
};

/// Reads /proc and the control groups under `root`; about 50 us.
memory_limits read_memory_limits(const std::string& root = "");

/// read_memory_limits().available_bytes, or 0 where even reading runs out of memory.
std::uint64_t read_available_memory() noexcept;

/// The size of the kernel's pages. (The layout of a job's memory has a page of its own:
/// rounding.hpp.)
std::size_t kernel_page_bytes() noexcept;

}  // namespace atl
