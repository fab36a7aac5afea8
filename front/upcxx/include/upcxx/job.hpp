// SPDX-License-Identifier: BSD-3-Clause
//
// What the inline functions of this front read of the job: who we are, and how a global pointer to
// a neighbour becomes an address here. All heaps of a host lie at one fixed stride in one mapping,
// so that needs no table: the rank and the offset in its heap are enough.
//
// Written by init() and finalize(), by the one thread that may call them, while no other thread
// communicates; constant in between. Not part of the specification: for the headers of this front.
#pragma once

#include <atoll/base/language.hpp>
#include <cstddef>
#include <cstdint>

namespace atl {
class endpoint;
class runtime;
}  // namespace atl

namespace atl::upcxx_front {

struct job_view {
  std::byte* heaps = nullptr;      // where the heap of rank `first` is in this process
  std::size_t stride = 0;          // from one rank's heap to the next's
  std::size_t heap_bytes = 0;      // addresses that a heap may ever use
  std::uint32_t first = 0;         // of the neighbourhood
  std::uint32_t local_count = 0;   // of its ranks
  std::uint32_t direct_count = 0;  // the same, or 0 when the library is to do all transfers
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  atl::runtime* runtime = nullptr;  // null: not initialized
  atl::endpoint* at = nullptr;

  bool is_local(std::uint32_t other) const noexcept { return other - first < local_count; }
  bool is_direct(std::uint32_t other) const noexcept { return other - first < direct_count; }

  /// Where a place in a neighbour's heap is here.
  std::byte* address(std::uint32_t neighbour, std::uintptr_t offset) const noexcept {
    return heaps + std::size_t{neighbour - first} * stride + offset;
  }
  /// Whether a transfer of these bytes can go by loads and stores, to address().
  bool reaches(std::uint32_t other, std::uintptr_t offset, std::size_t bytes) const noexcept {
    // No block begins at the first byte of a heap, where null pointers point: offset 0 wraps.
    const std::size_t room = heap_bytes - 1;
    return is_direct(other) && bytes <= room && offset - 1 <= room - bytes;
  }
  /// Where such a transfer goes; null when it cannot.
  std::byte* direct(std::uint32_t other, std::uintptr_t offset, std::size_t bytes) const noexcept {
    return reaches(other, offset, bytes) ? address(other, offset) : nullptr;
  }
};

extern ATOLL_CONSTINIT job_view job;

/// Ends the job for a wrong use: what was called, what is wrong with it, what to do instead.
[[noreturn, gnu::cold]] void refuse(const char* call, const char* cause,
                                    const char* remedy) noexcept;

/// For calls that need the library to be initialized.
inline void need_job(const char* call) noexcept {
  if (job.runtime == nullptr) [[unlikely]] {
    refuse(call, "UPC++ is not initialized", "call upcxx::init() before, and finalize() after it");
  }
}

}  // namespace atl::upcxx_front
