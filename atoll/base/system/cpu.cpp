// SPDX-License-Identifier: BSD-3-Clause
//
// Counts usable cores. The affinity mask says where we may run, the quota of a control group how
// much of that we get: a container limited to 1.5 processors on a machine of 64 has 2 cores for a
// waiting policy, not 64.
#include <atoll/base/system/control_group.hpp>
#include <atoll/base/system/cpu.hpp>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace atl {
namespace {

struct free_cpu_set {
  void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};

/// The size of the affinity mask. The kernel refuses a set smaller than its own, so it grows.
unsigned affinity_cores() noexcept {
  for (unsigned most = 1024; most <= 1024 * 64; most *= 4) {
    const std::unique_ptr<cpu_set_t, free_cpu_set> set(CPU_ALLOC(most));
    const std::size_t size_bytes = CPU_ALLOC_SIZE(most);
    if (set == nullptr) break;
    if (::sched_getaffinity(0, size_bytes, set.get()) == 0)
      return static_cast<unsigned>(CPU_COUNT_S(size_bytes, set.get()));
  }
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<unsigned>(online) : 1;
}

/// Cores per period that one group allows, rounded up; nothing when it sets no quota.
std::optional<std::uint64_t> quota_cores(const std::string& directory, int version) {
  std::optional<std::uint64_t> quota_us, period_us;
  if (version == 2) {  // "QUOTA PERIOD" or "max PERIOD"
    const std::string line = read_small_file(directory + "/cpu.max").value_or("");
    quota_us = leading_number(line);
    period_us = leading_number(line.substr(std::min(line.find(' '), line.size() - 1) + 1));
  } else {
    quota_us = leading_number(read_small_file(directory + "/cpu.cfs_quota_us").value_or(""));
    period_us = leading_number(read_small_file(directory + "/cpu.cfs_period_us").value_or(""));
  }
  if (!quota_us || !period_us || *period_us == 0) return std::nullopt;
  return std::max<std::uint64_t>(*quota_us / *period_us + (*quota_us % *period_us != 0), 1);
}

}  // namespace

core_mask cores_allowed() noexcept {
  core_mask mask{};
  constexpr unsigned most = mask.size() * 64;
  const std::unique_ptr<cpu_set_t, free_cpu_set> set(CPU_ALLOC(most));
  const std::size_t size_bytes = CPU_ALLOC_SIZE(most);
  if (set == nullptr || ::sched_getaffinity(0, size_bytes, set.get()) != 0) return mask;
  for (unsigned core = 0; core < most; ++core) {
    if (CPU_ISSET_S(core, size_bytes, set.get())) mask[core / 64] |= std::uint64_t{1} << core % 64;
  }
  return mask;
}

unsigned cores_by_quota(const std::string& root) {
  std::uint64_t cores = std::numeric_limits<unsigned>::max();
  const auto group = find_control_group("cpu", root);
  for (const auto& directory : group.directories)
    cores = std::min(cores, quota_cores(directory, group.version).value_or(cores));
  return static_cast<unsigned>(cores);
}

unsigned cores_available(const std::string& root) {
  return std::max(std::min(affinity_cores(), cores_by_quota(root)), 1u);
}

}  // namespace atl
