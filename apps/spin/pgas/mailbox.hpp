// SPDX-License-Identifier: BSD-3-Clause
//
// A mailbox, in which a partner reports its progress in blocks since the start: two counters that
// only grow and have one writer. Each has a cache line of its own, because another core writes it.
// They are written by puts and read by atomic_ref; fence_stores() stands between the work that a
// counter reports and the put of the counter.
#pragma once

#include <atoll/base/rank.hpp>

#include <atomic>
#include <cstdint>

namespace spin {

struct mailbox {
  alignas(64) std::uint64_t arrived;   // blocks that are here or can be read, since the start
  alignas(64) std::uint64_t consumed;  // blocks of this rank's that the partner has read
};

// Acquire: pairs with the fence before the put that wrote the counter. So a block that the writer
// made before is seen, and its earlier reads of a block are over.
inline std::uint64_t read_counter(const std::uint64_t& counter) noexcept {
  return std::atomic_ref<const std::uint64_t>(counter).load(std::memory_order_acquire);
}

/// The partner whose states differ from those of `rank` in one bit.
constexpr atl::rank_id partner_of(atl::rank_id rank, unsigned bit) noexcept {
  return rank ^ atl::rank_id{1} << bit;
}

}  // namespace spin
