// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce within a host by the last member to arrive, see shared_tree.hpp.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/shared_tree.hpp>

namespace atl::coll {

namespace {

class tree_allreduce : public shared_tree<tree_allreduce> {
 public:
  using shared_tree::shared_tree;
  void wake() const noexcept { s.ring_others(); }
};

}  // namespace

task allreduce_shared_tree(call& c) { return run_shared<tree_allreduce>(c); }
constinit const shared_form allreduce_shared_tree_form = form_of<tree_allreduce>();

}  // namespace atl::coll
