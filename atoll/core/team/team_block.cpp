// SPDX-License-Identifier: BSD-3-Clause
//
// Makes and finds the blocks of teams. Blocks are named by offsets, because ranks of a host may map
// its memory at different addresses.
#include <atoll/core/team/team_block.hpp>

#include <atoll/base/halves.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>

#include <cstring>

namespace atl {

std::uint64_t make_team_block(runtime& owner, rank_id local_members) {
  const std::size_t bytes = team_block::bytes(local_members);
  void* const block = layer_access::internal_heap(owner).allocate(bytes, alignof(team_block));
  if (block == nullptr) return 0;
  std::memset(block, 0, bytes);
  const std::byte* const heap = layer_access::internal_heap_of(owner, owner.rank());
  return static_cast<std::uint64_t>(static_cast<std::byte*>(block) - heap) + 1;
}

namespace {

// A shared place: 0 at first, then one of these, or the rank in whose internal heap the block lies
// and its offset there, which is less than 4 GiB.
constexpr std::uint64_t being_made = 1;
constexpr std::uint64_t refused = 2;

std::uint64_t place_of(rank_id rank, std::uint64_t offset) noexcept {
  static_assert(rank_memory::internal_heap_bytes < ~std::uint32_t{0} - refused);
  return join_halves(static_cast<std::uint32_t>(offset + refused), rank);
}

}  // namespace

team_block* share_team_block(runtime& owner, std::size_t number) {
  std::atomic<std::uint64_t>& place =
      layer_access::host_memory(owner).page(owner.neighbourhood_first()).team_blocks[number];
  // Acquire: pairs with the release below, so that the zeros of a block that is found are there.
  std::uint64_t found = place.load(std::memory_order_acquire);
  if (found == 0 && place.compare_exchange_strong(found, being_made, std::memory_order_acquire)) {
    const std::uint64_t offset = make_team_block(owner, owner.neighbourhood_count());
    found = offset == 0 ? refused : place_of(owner.rank(), offset);
    place.store(found, std::memory_order_release);
  }
  if (found == being_made) {
    owner.wait_until([&] { return (found = place.load(std::memory_order_acquire)) != being_made; },
                     runtime::silent_sleep_ns);
  }
  return found == refused ? nullptr
                          : find_team_block(owner, high_half(found), low_half(found) - refused);
}

team_block* find_team_block(runtime& owner, rank_id leader, std::uint64_t offset) noexcept {
  if (offset == 0) return nullptr;
  return reinterpret_cast<team_block*>(layer_access::internal_heap_of(owner, leader) + offset - 1);
}

}  // namespace atl
