// SPDX-License-Identifier: BSD-3-Clause
//
// The facts about the job that the inline functions of this front read: who we are, and the routes
// to the heaps of all ranks, by which a global pointer (a rank and an offset in its heap) becomes
// an address here.
//
// init() and finalize() write them, in the one thread that may call these, while no other thread
// communicates; they are constant in between. They are for the headers of this front, and not part
// of the specification.
#pragma once

#include <atoll/abi.h>
#include <atoll/base/language.hpp>
#include <cstddef>
#include <cstdint>

namespace atl {
class endpoint;
class runtime;
}  // namespace atl

namespace atl::upcxx_front {

struct job_view {
  const atoll_route* routes = nullptr;  // to the heaps of all ranks
  std::uint32_t inline_ranks = 0;       // of the job, or 0 when the library is to do all transfers
  std::uint32_t first = 0;              // of the neighbourhood
  std::uint32_t local_count = 0;        // of its ranks
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  atl::runtime* runtime = nullptr;  // null: not initialized
  atl::endpoint* endpoint = nullptr;

  bool is_local(std::uint32_t other) const noexcept { return other - first < local_count; }
  /// Whether transfers to the heap of a rank can go by loads and stores at all.
  bool is_direct(std::uint32_t other) const noexcept {
    return other < inline_ranks && routes[other].word_places != 0;
  }

  /// The address here of a place in a neighbour's heap.
  std::byte* address(std::uint32_t neighbour, std::uintptr_t offset) const noexcept {
    return reinterpret_cast<std::byte*>(routes[neighbour].local) + offset;
  }
  /// Whether a transfer of these bytes can go by loads and stores, to address(). No block begins at
  /// the first byte of a heap, where null pointers point. An empty transfer needs a place as well.
  bool is_direct(std::uint32_t other, std::uintptr_t offset, std::size_t bytes) const noexcept {
    if (other >= inline_ranks || offset == 0) return false;
    return atoll_route_reaches(routes + other, offset, bytes != 0 ? bytes : 1);
  }
  /// The address for such a transfer; null when it cannot go so.
  std::byte* direct(std::uint32_t other, std::uintptr_t offset, std::size_t bytes) const noexcept {
    return is_direct(other, offset, bytes) ? address(other, offset) : nullptr;
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
