// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about processors that the code needs: the size of a cache line, how to pause in a spin
// loop, and how many cores this process may really use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace atl {

/// Bytes that travel between cores together. Data written by different ranks or threads stays a
/// multiple of this apart (twice this where prefetching of the line beside it would hurt).
inline constexpr std::size_t cache_line = 64;

/// Tells the core that this is a spin loop: frees its resources for the sibling thread and avoids
/// the penalty of leaving the loop.
inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

/// Cores that this process may use at the same time: its affinity mask, further limited by the
/// quotas of its control groups (rounded up). At least 1. It reads files, so no data path may call
/// it.
unsigned cores_available(const std::string& root = "");

/// Cores by number, one bit each, so that ranks can add up where they may run.
using core_mask = std::array<std::uint64_t, 64>;

/// The affinity mask of this process (cores beyond 4096 are not told).
core_mask cores_allowed() noexcept;

/// Cores that the quotas of the control groups allow at the same time; the largest number when
/// there is no quota.
unsigned cores_by_quota(const std::string& root = "");

}  // namespace atl
