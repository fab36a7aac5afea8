// SPDX-License-Identifier: BSD-3-Clause
//
// Reductions to a root over the memory that the members of a host share.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/shared/loop.hpp>
#include <atoll/coll/shared/tree.hpp>

namespace atl::coll {

namespace {

// Reduction within a host: every member writes its contribution into its lane and goes on, the root
// combines them. Its time grows with the members, but there is only one step.
class shared_reduce : public shared_loop<shared_reduce> {
 public:
  shared_reduce(call& call, shared_lanes& lanes) noexcept : shared_loop(call, lanes) {
    takes = c.rank == c.root;
  }

  void deposit(const shared_piece& part) noexcept {
    std::memcpy(own_data(part.turn), c.from + part.offset, part.bytes);
    if (takes) return;
    mark_ready(part.turn);
    s.ring(c.root);
  }
  bool arrived(const shared_piece& part) noexcept {
    for (; seen_ < c.size; ++seen_) {
      if (seen_ != c.root && !is_ready(seen_, part.turn)) return false;
    }
    return true;
  }
  void take(const shared_piece& part) { fold(c.size - 1, part, c.to + part.offset); }
};

}  // namespace

constinit const shared_form reduce_shared = form_of<shared_reduce>();

namespace {

// Reduction within a host by the last member to arrive, see tree.hpp. Only the root waits.
class tree_reduce : public shared_tree<tree_reduce> {
 public:
  tree_reduce(call& call, shared_lanes& lanes) noexcept : shared_tree(call, lanes) {
    takes = c.rank == c.root;
  }
  void wake() const noexcept { s.ring(c.root); }
};

}  // namespace

constinit const shared_form reduce_shared_tree = form_of<tree_reduce>();

}  // namespace atl::coll
