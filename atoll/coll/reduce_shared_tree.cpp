// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction within a host by the last member to arrive, see shared_tree.hpp. Only the root waits.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/shared_tree.hpp>

namespace atl::coll {

namespace {

class tree_reduce : public shared_tree<tree_reduce> {
 public:
  tree_reduce(call& at, shared_lanes& lanes) noexcept : shared_tree(at, lanes) {
    takes = c.rank == c.root;
  }
  void wake() const noexcept { s.ring(c.root); }
};

}  // namespace

task reduce_shared_tree(call& c) { return run_shared<tree_reduce>(c); }
constinit const shared_form reduce_shared_tree_form = form_of<tree_reduce>();

}  // namespace atl::coll
