// SPDX-License-Identifier: BSD-3-Clause
//
// Prefix reductions over the memory that the members of a host share.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/shared/loop.hpp>

namespace atl::coll {

namespace {

// Scan within a host, for small data and few members: all write their contributions into their
// lanes, and each combines those before it. One step, at the price of combining them again and
// again.
class shared_scan : public shared_loop<shared_scan> {
 public:
  shared_scan(call& call, shared_lanes& lanes) noexcept
      : shared_loop(call, lanes), end_(call.exclusive ? call.rank : call.rank + 1) {
    takes = end_ != 0;
  }

  void deposit(const shared_piece& part) noexcept {
    copy_bytes(own_data(part.turn), call_.from + part.offset, part.bytes);
    mark_ready(part.turn);
    for (rank_id member = call_.rank + 1; member < call_.size; ++member) lanes_.ring(member);
  }
  bool arrived(const shared_piece& part) noexcept { return all_ready(end_, part.turn); }
  void take(const shared_piece& part) { fold(end_ - 1, part, call_.to + part.offset); }

 private:
  rank_id end_;  // members before this one count
};

}  // namespace

constinit const shared_form scan_shared = form_of<shared_scan>();

namespace {

// Scan within a host, piece by piece from each member to the next: a member's lane holds the
// contributions up to its own, combined.
class chain_scan : public shared_member {
 public:
  using shared_member::shared_member;

  bool advance() {
    for (; ended_ < cut.count; ++ended_) {
      const shared_piece part = piece(ended_);
      if (call_.rank != 0 && !is_ready(call_.rank - 1, part.turn)) return false;
      if (!lanes_.room(part.turn, cut.in_line)) return false;
      pass_on(part);
      finish(part.turn);
    }
    return true;
  }

 private:
  void pass_on(const shared_piece& part) {
    std::byte* const own = own_data(part.turn);
    std::byte* const to = call_.to + part.offset;
    copy_bytes(own, call_.from + part.offset, part.bytes);
    if (call_.rank != 0) {
      const std::byte* const prefix = data(call_.rank - 1, part.turn);
      call_.combine(prefix, own, elements(part.bytes));
      if (call_.exclusive) copy_bytes(to, prefix, part.bytes);
    }
    if (!call_.exclusive) copy_bytes(to, own, part.bytes);
    if (call_.rank + 1 == call_.size) return;
    mark_ready(part.turn);
    lanes_.ring(call_.rank + 1);
  }

  std::uint32_t ended_ = 0;
};

}  // namespace

constinit const shared_form scan_shared_chain = form_of<chain_scan>();

}  // namespace atl::coll
