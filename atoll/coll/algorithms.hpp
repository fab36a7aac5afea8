// SPDX-License-Identifier: BSD-3-Clause
//
// The algorithms, one per file of the same name. table.cpp says what each needs; its file says how
// it works. Hierarchical ones call others on parts of the team. Those over shared memory
// also have a form without a task.
#pragma once

#include <atoll/coll/table.hpp>
#include <atoll/coll/task.hpp>

namespace atl::coll {

task broadcast_tree(call& c);
task broadcast_chain(call& c);
task broadcast_scatter_allgather(call& c);
task broadcast_hierarchical(call& c);
task broadcast_shared(call& c);
extern const shared_form broadcast_shared_form;

task reduce_tree(call& c);
task reduce_scatter_gather(call& c);
task reduce_hierarchical(call& c);
task reduce_shared(call& c);
extern const shared_form reduce_shared_form;
task reduce_shared_tree(call& c);
extern const shared_form reduce_shared_tree_form;

task allreduce_recursive_doubling(call& c);
task allreduce_tree(call& c);
task allreduce_scatter_allgather(call& c);
task allreduce_hierarchical(call& c);
task allreduce_shared(call& c);
extern const shared_form allreduce_shared_form;
task allreduce_shared_tree(call& c);
extern const shared_form allreduce_shared_tree_form;
task allreduce_shared_split(call& c);
extern const shared_form allreduce_shared_split_form;

task scatter_linear(call& c);
task scatter_tree(call& c);
task scatter_hierarchical(call& c);
task scatter_shared(call& c);
extern const shared_form scatter_shared_form;

task gather_linear(call& c);
task gather_tree(call& c);
task gather_hierarchical(call& c);
task gather_shared(call& c);
extern const shared_form gather_shared_form;

task allgather_linear(call& c);
task allgather_bruck(call& c);
task allgather_ring(call& c);
task allgather_hierarchical(call& c);
task allgather_shared(call& c);
extern const shared_form allgather_shared_form;
task allgather_shared_counted(call& c);
extern const shared_form allgather_shared_counted_form;

task alltoall_pairwise(call& c);
task alltoall_bruck(call& c);
task alltoall_shared(call& c);
extern const shared_form alltoall_shared_form;
task alltoall_shared_counted(call& c);
extern const shared_form alltoall_shared_counted_form;

task scan_doubling(call& c);
task scan_chain(call& c);
task scan_shared(call& c);
extern const shared_form scan_shared_form;
task scan_shared_chain(call& c);
extern const shared_form scan_shared_chain_form;

task fence_dissemination(call& c);

}  // namespace atl::coll
