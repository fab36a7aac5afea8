// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce in three phases: to the first member of each host, among these, and back. For
// commutative operations, see reduce_hierarchical.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>

namespace atl::coll {

task allreduce_hierarchical(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  call local_reduce = c.on_host(1);
  local_reduce.kind = collective::reduce;
  local_reduce.root = 0;
  task reduced = run_part(local_reduce);
  co_await reduced;
  const scratch list(c.memory(), hosts.count() * sizeof(rank_id));
  if (hosts.leads()) {
    call leaders = c.among_leaders(reinterpret_cast<rank_id*>(list.data()), 3);
    leaders.from = c.to;
    task between = run_part(leaders);
    co_await between;
  }
  call local_broadcast = c.on_host(2);
  local_broadcast.kind = collective::broadcast;
  local_broadcast.root = 0;
  local_broadcast.from = c.to;
  task told = run_part(local_broadcast);
  co_await told;
}

}  // namespace atl::coll
