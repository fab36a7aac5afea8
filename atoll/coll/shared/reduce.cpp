// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions to a root over the memory that the members of a host share.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/shared/loop.hpp>
#include <atoll/coll/shared/tree.hpp>

namespace atl::coll {

namespace {

// Reduction within a host: every other member writes its contribution into its lane and goes on,
// the root combines them with its own. Its time grows with the members, but there is only one step.
class shared_reduce : public shared_loop<shared_reduce> {
 public:
  shared_reduce(call& call, shared_lanes& lanes) noexcept : shared_loop(call, lanes) {
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
      if (seen_ != call_.root && !is_ready(seen_, part.turn)) return false;
    }
    return true;
  }
  // Combines in the lane of the last member, which only the root reads, and then copies: combining
  // into a copy of the last contribution takes 1.2 to 2.4 times as long.
  void take(const shared_piece& part) {
    const rank_id last = call_.size - 1;
    std::byte* const to = call_.to + part.offset;
    const bool in_lane = call_.root != last;
    std::byte* const sum = in_lane ? data(last, part.turn) : to;
    if (sum != contribution(last, part)) copy_bytes(sum, contribution(last, part), part.bytes);
    for (rank_id member = last; member-- > 0;) {
      call_.combine(contribution(member, part), sum, elements(part.bytes));
    }
    if (in_lane) copy_bytes(to, sum, part.bytes);
  }

 private:
  const std::byte* contribution(rank_id member, const shared_piece& part) const noexcept {
    return member == call_.root ? call_.from + part.offset : data(member, part.turn);
  }
};

}  // namespace

constinit const shared_form reduce_shared = form_of<shared_reduce>();

namespace {

// Reduction within a host by the last member to arrive, see tree.hpp. Only the root waits.
class tree_reduce : public shared_tree<tree_reduce> {
 public:
  tree_reduce(call& call, shared_lanes& lanes) noexcept : shared_tree(call, lanes) {
    takes = call_.rank == call_.root;
  }
  void wake() const noexcept { lanes_.ring(call_.root); }
};

}  // namespace

constinit const shared_form reduce_shared_tree = form_of<tree_reduce>();

}  // namespace atl::coll
