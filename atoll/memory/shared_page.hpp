// SPDX-License-Identifier: BSD-3-Clause
//
// What the ranks of a host share beside heaps and message rings: one header per host, one page per
// rank. Plain atomics in memory that starts as zeros, so nothing needs to be set up and no rank can
// be early. Everything that different ranks write has a cache line of its own.
#pragma once

#include <atoll/base/cpu.hpp>
#include <atoll/base/doorbell.hpp>

#include <atomic>
#include <cstdint>
#include <tuple>

namespace atl::memory {

/// Barriers that exist per host (core/barrier.hpp names them).
inline constexpr std::size_t barrier_uses = 2;

/// A pair of slots, used in turn by even and odd epochs.
using epoch_slots = std::atomic<std::uint64_t>[2];

/// State of one counting barrier; core/host_barrier.cpp explains it.
struct counting_barrier {
  alignas(2 * cache_line) std::atomic<std::uint32_t> arrived;
  epoch_slots gathering;  // tags combined so far
  alignas(2 * cache_line) std::atomic<std::uint32_t> epoch;
  epoch_slots result;
};

/// One rank's part of one flag barrier.
struct flag_barrier {
  alignas(2 * cache_line) std::atomic<std::uint32_t> epoch;
  epoch_slots tag;
};

/// One per host, at the start of the file.
struct host_header {
  /// Promised to the heaps of all ranks.
  alignas(2 * cache_line) std::atomic<std::uint64_t> committed_bytes;
  /// Where the ranks may run, together: bits by core number.
  alignas(2 * cache_line) std::atomic<std::uint64_t> cores[std::tuple_size_v<core_mask>];
  /// The smallest quota of cores of any rank, as its distance from "no quota"; zero: none.
  std::atomic<std::uint32_t> quota_below_none;
  counting_barrier barriers[barrier_uses];
};

/// One per rank, at the start of its control part.
struct rank_page {
  alignas(2 * cache_line) doorbell bell;  // rung for a sleeping owner
  flag_barrier barriers[barrier_uses];
};
inline constexpr std::size_t rank_page_bytes = 4096;
static_assert(sizeof(rank_page) <= rank_page_bytes);

}  // namespace atl::memory
