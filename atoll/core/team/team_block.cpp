// SPDX-License-Identifier: BSD-3-Clause
//
// Makes and finds the blocks of teams. Blocks are named by offsets, because ranks of a host may map
// its memory at different addresses.
#include <atoll/core/team/team_block.hpp>

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

team_block* find_team_block(runtime& owner, rank_id leader, std::uint64_t offset) noexcept {
  if (offset == 0) return nullptr;
  return reinterpret_cast<team_block*>(layer_access::internal_heap_of(owner, leader) + offset - 1);
}

}  // namespace atl
