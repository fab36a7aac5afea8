// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast within a host: the root writes each piece into its lane and goes on, the others copy it
// from there.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/shared/loop.hpp>

namespace atl::coll {

namespace {

class shared_broadcast : public shared_loop<shared_broadcast> {
 public:
  shared_broadcast(call& call, shared_lanes& lanes) noexcept : shared_loop(call, lanes) {
    deposits = call_.rank == call_.root;
    takes = !deposits;
  }

  void deposit(const shared_piece& part) noexcept {
    copy_bytes(own_data(part.turn), call_.from + part.offset, part.bytes);
    mark_ready(part.turn);
    lanes_.ring_others();
    if (call_.to != call_.from)
      copy_bytes(call_.to + part.offset, call_.from + part.offset, part.bytes);
  }
  bool arrived(const shared_piece& part) noexcept { return is_ready(call_.root, part.turn); }
  void take(const shared_piece& part) noexcept {
    copy_bytes(call_.to + part.offset, data(call_.root, part.turn), part.bytes);
  }
};

}  // namespace

constinit const shared_form broadcast_shared = form_of<shared_broadcast>();

}  // namespace atl::coll
