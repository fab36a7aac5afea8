// SPDX-License-Identifier: BSD-3-Clause
//
// Copies of the data path. Small sizes known to the compiler become loads and stores; up to some
// KiB it is memcpy. Larger ones are memcpy or a loop of our own, whichever the processor does
// better (copy.cpp), up to half of the last-level cache. Beyond that a copy goes past the cache
// with non-temporal stores: the target's lines need not be read first, which nearly doubles the
// bandwidth from memory to memory, and nothing useful is pushed out of the cache.
//
// The header also has the fences that put and get need: stores before one are seen before stores
// after it, and loads likewise. x86 guarantees both by itself for ordinary accesses, so that
// there only the compiler is held.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

namespace atl {

/// Up to this size a copy is memcpy everywhere.
inline constexpr std::size_t copy_ordinary_max = 2048;

/// Copies any size beyond that, past the cache where that pays. Its stores are ordered before later
/// ones.
void copy_large(void* to, const void* from, std::size_t bytes) noexcept;

/// Whether a copy of this total size should go past the cache.
bool streaming_pays(std::size_t bytes) noexcept;

/// Copies past the cache whatever the size, for a part of something large. The stores are ordered
/// as those of copy_large().
void copy_streaming(void* to, const void* from, std::size_t bytes) noexcept;

/// Copies `bytes` bytes between ranges that do not overlap; zero bytes touch neither.
inline void copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes > copy_ordinary_max) [[unlikely]]
    return copy_large(to, from, bytes);
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

/// Orders this thread's earlier loads before its later ones: a flag that was got before its data.
inline void fence_loads() noexcept {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_acquire);
#endif
}

/// Orders all earlier stores and loads of this thread before all later ones, also an earlier
/// store before a later load of another address, which the processor may otherwise do first.
/// Takes about 10 ns; the other two fences cost nothing on x86.
inline void fence_all() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

/// The same beside an atomic read-modify-write of this thread, which on x86 is such a fence itself.
inline void fence_all_beside_atomic() noexcept {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  fence_all();
#endif
}

}  // namespace atl
