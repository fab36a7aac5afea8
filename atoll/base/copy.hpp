// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of the data path. Small sizes known to the compiler become loads and stores; the rest is
// memcpy, which the C library tunes per machine (including non-temporal stores above its own
// threshold). And the one fence that a put needs: stores before it are seen before stores after it,
// which x86 guarantees by itself, so that there only the compiler is held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

namespace atl {

/// Copies `bytes` bytes between ranges that do not overlap; zero bytes touch neither.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

/// Orders this thread's earlier stores before its later ones, for readers in other processes.
inline void fence_stores() noexcept {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
}

}  // namespace atl
