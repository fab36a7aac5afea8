// SPDX-License-Identifier: BSD-3-Clause
//
// Scatter within a host: the root writes a part of every member's block into its lane and goes on;
// each copies its own from there.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/shared/loop.hpp>

namespace atl::coll {

namespace {

class shared_scatter : public shared_loop<shared_scatter> {
 public:
  shared_scatter(call& call, shared_lanes& lanes) noexcept : shared_loop(call, lanes) {
    deposits = c.rank == c.root;
    takes = !deposits;
  }

  void deposit(const shared_piece& part) noexcept {
    std::byte* const lane = own_data(part.turn);
    for (rank_id member = 0; member < c.size; ++member) {
      const std::byte* const block = c.from + member * c.bytes + part.offset;
      if (member != c.rank) {
        copy_bytes(lane + member * cut.piece, block, part.bytes);
      } else if (c.to + part.offset != block) {
        copy_bytes(c.to + part.offset, block, part.bytes);
      }
    }
    mark_ready(part.turn);
    s.ring_others();
  }
  bool arrived(const shared_piece& part) noexcept { return is_ready(c.root, part.turn); }
  void take(const shared_piece& part) noexcept {
    copy_bytes(c.to + part.offset, data(c.root, part.turn) + c.rank * cut.piece, part.bytes);
  }
};

}  // namespace

constinit const shared_form scatter_shared = form_of<shared_scatter>();

}  // namespace atl::coll
