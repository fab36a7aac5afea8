// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction within each host to its leader, then among leaders; on its own host the root leads.
// Members of one host need not follow each other, so the operation must be commutative.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>

namespace atl::coll {

task reduce_hierarchical(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  call local = c.on_host(1);
  local.root = c.leader_on_host();
  const bool leads = local.rank == local.root;
  const scratch list(c.memory(), hosts.count() * sizeof(rank_id));
  const scratch partial(c.memory(), leads && c.rank != c.root ? c.bytes : 0);
  local.to = c.rank == c.root ? c.to : partial.data();
  task within = run_part(local);
  co_await within;
  if (!leads) co_return;
  call leaders = c.among_leaders(reinterpret_cast<rank_id*>(list.data()), 2);
  leaders.root = hosts.host_of(c.root);
  leaders.from = local.to;
  task between = run_part(leaders);
  co_await between;
}

}  // namespace atl::coll
