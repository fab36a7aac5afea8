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

// A shared place: 0 at first, and then two halves. The low one says that a rank makes the block, or
// has no memory for it, or where the block lies in that rank's internal heap, which is less than
// 4 GiB. The high one is the rank.
constexpr std::uint32_t being_made = 1;
constexpr std::uint32_t refused = 2;
static_assert(rank_memory::internal_heap_bytes < ~std::uint32_t{0} - refused);

std::atomic<std::uint64_t>& place_of_block(runtime& owner, std::size_t number) {
  return layer_access::host_memory(owner).page(owner.neighbourhood_first()).team_blocks[number];
}

/// Whether a block is still to be made by somebody else than the rank that has begun it.
bool is_left(const runtime& owner, std::uint64_t found) noexcept {
  return found == 0 ||
         (low_half(found) == being_made && layer_access::losses(owner).is_lost(high_half(found)));
}

// Fails when others have taken this rank for lost and made the block themselves.
void make_claimed_block(runtime& owner, std::atomic<std::uint64_t>& place) {
  const std::uint64_t offset = make_team_block(owner, owner.neighbourhood_count());
  std::uint64_t found = join_halves(being_made, owner.rank());
  const auto made = static_cast<std::uint32_t>(offset + refused);
  // Release: pairs with the acquire of those who find the block, so that its zeros are there.
  if (place.compare_exchange_strong(found, join_halves(made, owner.rank()),
                                    std::memory_order_release, std::memory_order_relaxed))
    return;
  if (offset != 0)
    layer_access::internal_heap(owner).free(find_team_block(owner, owner.rank(), offset));
}

}  // namespace

bool claim_team_block(runtime& owner, std::size_t number) {
  std::atomic<std::uint64_t>& place = place_of_block(owner, number);
  std::uint64_t found = place.load(std::memory_order_relaxed);
  return is_left(owner, found) &&
         place.compare_exchange_strong(found, join_halves(being_made, owner.rank()),
                                       std::memory_order_relaxed);
}

team_block* share_team_block(runtime& owner, std::size_t number) {
  std::atomic<std::uint64_t>& place = place_of_block(owner, number);
  std::uint64_t found;
  do {
    if (claim_team_block(owner, number)) make_claimed_block(owner, place);
    owner.wait_until(
        [&] {
          found = place.load(std::memory_order_acquire);
          return low_half(found) != being_made || is_left(owner, found);
        },
        runtime::silent_sleep_ns);
  } while (is_left(owner, found));
  return low_half(found) == refused
             ? nullptr
             : find_team_block(owner, high_half(found), low_half(found) - refused);
}

team_block* find_team_block(runtime& owner, rank_id leader, std::uint64_t offset) noexcept {
  if (offset == 0) return nullptr;
  return reinterpret_cast<team_block*>(layer_access::internal_heap_of(owner, leader) + offset - 1);
}

}  // namespace atl
