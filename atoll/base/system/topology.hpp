// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the machine, as the kernel reports them in sysfs: processors (hardware threads),
// cores, packages, NUMA nodes with their memory, caches. They serve reports (`atoll info`), the
// binding of ranks, and sizes that depend on a cache's share. For set-up only: it reads some files
// per processor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

/// One hardware thread that is on line.
struct processor {
  unsigned number = 0;   // as in affinity masks
  unsigned core = 0;     // number of its core, 0 .. cores - 1 over the whole machine
  unsigned package = 0;  // as the firmware numbers them
  unsigned node = 0;     // NUMA node
};

/// One kind of data or unified cache.
struct cache_level {
  unsigned level = 0;            // 1 nearest to the core
  std::uint64_t size_bytes = 0;  // of one instance
  unsigned shared_by = 0;        // processors that share one instance
  unsigned instances = 0;
};

/// One NUMA node that has memory or processors.
struct numa_node {
  unsigned number = 0;
  std::uint64_t memory_bytes = 0;
  std::vector<unsigned> processors;
};

struct topology {
  std::string model;  // of the processor, as it names itself
  std::vector<processor> processors;
  unsigned cores = 0;
  unsigned packages = 0;
  std::vector<numa_node> nodes;     // at least one
  std::vector<cache_level> caches;  // from the first level up, no instruction caches

  /// Bytes of the last-level cache, 0 where unknown.
  std::uint64_t last_level_bytes() const noexcept {
    return caches.empty() ? 0 : caches.back().size_bytes;
  }
};

/// Reads sysfs and /proc under `root`. A value that the kernel does not report is left 0, or the
/// plain case is assumed: one core per processor, one package, one node with all memory.
topology read_topology(const std::string& root = "");

/// The numbers of a kernel list such as "0-3,8,10-11"; stops at the first item that is not a
/// number or range. At most 65536 numbers.
std::vector<unsigned> parse_number_list(std::string_view list);

}  // namespace atl
