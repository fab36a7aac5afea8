// SPDX-License-Identifier: BSD-3-Clause
//
// What the code must know about processors: the size of a cache line, how to pause in a spin loop,
// and how many cores this process may really use.
#pragma once

#include <cstddef>
#include <string>

namespace atl {

/// Bytes that travel between cores together. Data written by different ranks or threads stays a
/// multiple of this apart (twice this where the neighbour's prefetch would hurt).
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
/// quotas of its control groups (rounded up). At least 1. Not for data paths: reads files.
unsigned cores_available(const std::string& root = "");

}  // namespace atl
