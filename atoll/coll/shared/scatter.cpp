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
    deposits = call_.rank == call_.root;
    takes = !deposits;
  }

  void deposit(const shared_piece& part) noexcept {
    std::byte* const lane = own_data(part.turn);
    for (rank_id member = 0; member < call_.size; ++member) {
      const std::byte* const block = call_.from + member * call_.bytes + part.offset;
      if (member != call_.rank) {
        copy_bytes(lane + member * cut.piece, block, part.bytes);
      } else if (call_.to + part.offset != block) {
        copy_bytes(call_.to + part.offset, block, part.bytes);
      }
    }
    mark_ready(part.turn);
    lanes_.ring_others();
  }
  bool arrived(const shared_piece& part) noexcept { return is_ready(call_.root, part.turn); }
  void take(const shared_piece& part) noexcept {
    copy_bytes(call_.to + part.offset, data(call_.root, part.turn) + call_.rank * cut.piece,
               part.bytes);
  }
};

}  // namespace

constinit const shared_form scatter_shared = form_of<shared_scatter>();

}  // namespace atl::coll
