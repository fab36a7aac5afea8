// SPDX-License-Identifier: BSD-3-Clause
//
// The memory that the members of a team on one host share: the state of the team's barriers, and
// the offset of the state that the layer of collectives shares. It lies in the heap of the host's
// leading member and starts as zeros, which is a valid empty state of everything in it. Data that
// different ranks write lie on different cache lines.
//
// Lifetime: made by the leader before any member can know of it; freed by the leader once all
// members have said, in `departed`, that they will not touch it again.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/core/team/barrier.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace atl {

class runtime;

/// A pair of slots, used in turn by even and odd epochs.
using epoch_slots = std::atomic<std::uint64_t>[2];

/// State of one counting barrier; host_barrier.cpp explains it.
struct counting_barrier {
  alignas(2 * cache_line) std::atomic<std::uint32_t> arrived;
  epoch_slots gathering;  // tags combined so far
  alignas(2 * cache_line) std::atomic<std::uint32_t> epoch;
  epoch_slots result;
};

/// One member's part of one flag barrier.
struct flag_barrier {
  alignas(2 * cache_line) std::atomic<std::uint32_t> epoch;
  epoch_slots tag;
};

struct team_block {
  static constexpr std::size_t uses = static_cast<std::size_t>(barrier_use::count);

  counting_barrier counters[uses];
  /// Offset in the host's memory file of what the collectives share, once there is such; 0: none
  /// yet, 1: refused for lack of memory. Written by the leader (release), read by all (acquire).
  alignas(2 * cache_line) std::atomic<std::uint64_t> collectives;
  alignas(2 * cache_line) std::atomic<std::uint32_t> departed;

  /// The lines of a local member follow the block.
  flag_barrier& line(rank_id local, barrier_use use) noexcept {
    return reinterpret_cast<flag_barrier*>(this + 1)[local * uses + static_cast<std::size_t>(use)];
  }

  static constexpr std::size_t bytes(rank_id local_members) noexcept {
    return sizeof(team_block) + local_members * uses * sizeof(flag_barrier);
  }
};

/// Makes an empty block for `local_members` members in the calling rank's internal heap. Returns
/// its offset there, counted from 1; 0: there is no memory for it.
std::uint64_t make_team_block(runtime& owner, rank_id local_members);

/// The block that the ranks of a neighbourhood share under this number, below
/// rank_page::team_blocks_max, for a team of all ranks: made by whichever of them calls first, and
/// kept until the job ends. Null, on all of them: that rank has no memory for it. Waits only while
/// another rank makes it, with progress; if that rank is lost meanwhile, one of those who wait
/// makes it. Any thread, one at a time for one number.
team_block* share_team_block(runtime& owner, std::size_t number);

/// The first step of share_team_block(): whether the caller is the rank that makes the block. It is
/// if no other has begun, or the one that has is lost. For tests of that function.
bool claim_team_block(runtime& owner, std::size_t number);

/// The block that `leader`, a neighbour, has made at `offset`; null for 0.
team_block* find_team_block(runtime& owner, rank_id leader, std::uint64_t offset) noexcept;

}  // namespace atl
