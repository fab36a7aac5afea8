// SPDX-License-Identifier: BSD-3-Clause
//
// Gather within a host: every member writes its block into its lane and goes on; the root copies
// each as it comes.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/shared/loop.hpp>

namespace atl::coll {

namespace {

class shared_gather : public shared_loop<shared_gather> {
 public:
  shared_gather(call& call, shared_lanes& lanes) noexcept : shared_loop(call, lanes) {
    takes = call_.rank == call_.root;
    deposits = !takes;
  }

  void deposit(const shared_piece& part) noexcept {
    copy_bytes(own_data(part.turn), call_.from + part.offset, part.bytes);
    mark_ready(part.turn);
    lanes_.ring(call_.root);
  }
  bool arrived(const shared_piece& part) noexcept {
    for (; seen_ < call_.size; ++seen_) {
      if (seen_ != call_.rank && !is_ready(seen_, part.turn)) return false;
      std::byte* const to = call_.to + seen_ * call_.bytes + part.offset;
      const std::byte* const from =
          seen_ == call_.rank ? call_.from + part.offset : data(seen_, part.turn);
      if (to != from) copy_bytes(to, from, part.bytes);
    }
    return true;
  }
  void take(const shared_piece&) const noexcept {}  // done while they arrived
};

}  // namespace

constinit const shared_form gather_shared = form_of<shared_gather>();

}  // namespace atl::coll
