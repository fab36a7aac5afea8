// SPDX-License-Identifier: BSD-3-Clause
//
// How the static variables of a rank count among the promises of its host. They lie in a block of
// the rank's shared heap, but only the pages that existed when they moved are promised. The others
// come to exist when they are touched, as in private memory, and are not held to
// ATOLL_MEMORY_LIMIT. So the host must not take them for promised pages that exist already, and
// looks at the cards of all ranks for that.
//
// The cards lie in the header of the host's file, behind the page of `host_header`: ranks may take
// away their access to the areas of others. A card starts as zeros and is written by its rank only.
#pragma once

#include <atoll/base/rank.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace atl::memory {

class heap;
class host_memory;

struct variables_card {
  std::atomic<std::uint64_t> begin;           // of the block, as an offset in the file
  std::atomic<std::uint64_t> bytes;           // 0: no block; written last, and read first
  std::atomic<std::uint64_t> promised_bytes;  // of the block
  /// The bytes by which the rank's shared heap may grow without a promise.
  std::atomic<std::uint64_t> free_growth;
};

/// The card of a rank of this host, by its number in the job.
variables_card& variables_card_of(const host_memory& host, rank_id rank) noexcept;

/// A block of the rank's shared heap of which only `promised_bytes` are promised, on whole pages.
/// Null, and nothing changed, where the heap has no room or the host does not allow the promise.
std::byte* allocate_for_variables(host_memory& host, heap& from, rank_id rank, std::size_t bytes,
                                  std::size_t promised_bytes) noexcept;

/// Gives that block back. Where the host does not allow to promise all of it to the heap again, the
/// heap keeps it as a block in use, without pages.
void free_of_variables(host_memory& host, heap& from, rank_id rank, std::byte* block) noexcept;

/// Promises `bytes` more to the rank's shared heap, which is now `already` bytes large, as
/// `host_memory::commit` does; fewer where the heap may grow without a promise.
bool commit_growth(host_memory& host, rank_id rank, std::size_t already,
                   std::size_t bytes) noexcept;

/// The bytes of static variables of all ranks of the host for which nothing is promised, and how
/// many of them are touched. Where the kernel does not say, all count: then too little is promised
/// to heaps and not too much.
std::size_t unpromised_variables(const host_memory& host) noexcept;
std::size_t touched_unpromised_variables(const host_memory& host) noexcept;

}  // namespace atl::memory
