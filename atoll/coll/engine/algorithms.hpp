// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithms, a file per collective in each of message/, shared/ and hierarchical/. table.cpp
// has what each needs; its own comment has how it works. Hierarchical ones call others on parts of
// the team.
#pragma once

#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/engine/task.hpp>

namespace atl::coll {

task broadcast_tree(call& c);
task broadcast_fork(call& c);
task broadcast_chain(call& c);
task broadcast_scatter_allgather(call& c);
task broadcast_hierarchical(call& c);
extern const shared_form broadcast_shared;

task reduce_tree(call& c);
task reduce_fork(call& c);
task reduce_scatter_gather(call& c);
task reduce_recursive_halving(call& c);
task reduce_hierarchical(call& c);
extern const shared_form reduce_shared;
extern const shared_form reduce_shared_tree;

task allreduce_recursive_doubling(call& c);
task allreduce_recursive_halving(call& c);
task allreduce_tree(call& c);
task allreduce_scatter_allgather(call& c);
task allreduce_hierarchical(call& c);
extern const shared_form allreduce_shared;
extern const shared_form allreduce_shared_tree;
extern const shared_form allreduce_shared_split;

task scatter_linear(call& c);
task scatter_tree(call& c);
task scatter_hierarchical(call& c);
extern const shared_form scatter_shared;

task gather_linear(call& c);
task gather_tree(call& c);
task gather_hierarchical(call& c);
extern const shared_form gather_shared;

task allgather_linear(call& c);
task allgather_bruck(call& c);
task allgather_recursive_doubling(call& c);
task allgather_ring(call& c);
task allgather_hierarchical(call& c);
task allgather_gathered(call& c);
extern const shared_form allgather_shared;
extern const shared_form allgather_shared_counted;

task alltoall_pairwise(call& c);
task alltoall_bruck(call& c);
task alltoall_hierarchical(call& c);
extern const shared_form alltoall_shared;
extern const shared_form alltoall_shared_counted;

task scan_doubling(call& c);
task scan_chain(call& c);
task scan_hierarchical(call& c);
extern const shared_form scan_shared;
extern const shared_form scan_shared_chain;

task fence_dissemination(call& c);

}  // namespace atl::coll
