// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that the ranks of a host share beside heaps and message rings: one header per host,
// one page per rank. Plain atomics in memory that starts as zeros, so nothing needs to be set up
// and no rank can be early. Data that different ranks write lie on different cache lines.
#pragma once

#include <atoll/base/system/cpu.hpp>
#include <atoll/base/threads/doorbell.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <tuple>

namespace atl::memory {

/// One per host, at the start of the file.
struct host_header {
  /// Promised to the heaps of all ranks.
  alignas(2 * cache_line) std::atomic<std::uint64_t> committed_bytes;
  /// Where the ranks may run, together: bits by core number.
  alignas(2 * cache_line) std::atomic<std::uint64_t> cores[std::tuple_size_v<core_mask>];
  /// The smallest quota of cores of any rank, as its distance from "no quota"; zero: none.
  std::atomic<std::uint32_t> quota_below_none;
  /// Ranks that have mapped the file at the address that all of them ask for.
  std::atomic<std::uint32_t> at_common_address;
};

/// How other ranks of the host find this one's process, and make sure of it; see kernel_copy.hpp.
struct process_card {
  std::atomic<std::int32_t> process;  // its id; 0: not offered
  std::uint64_t token_address;        // in its memory
  std::array<std::uint64_t, 2> token;
};

/// One per rank, at the start of its control part.
struct rank_page {
  static constexpr std::size_t team_blocks_max = 16;

  alignas(2 * cache_line) doorbell bell;      // rung for a sleeping owner
  alignas(2 * cache_line) process_card card;  // written by the owner
  /// On the first rank of a neighbourhood: where the blocks of teams are that any of its ranks may
  /// make, whichever comes first (core/team/team_block.hpp); 0: not made.
  alignas(2 * cache_line) std::array<std::atomic<std::uint64_t>, team_blocks_max> team_blocks;
};
inline constexpr std::size_t rank_page_bytes = 4096;
static_assert(sizeof(rank_page) <= rank_page_bytes);

}  // namespace atl::memory
