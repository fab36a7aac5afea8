// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast from the root to one leader per host, then within each host.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>

namespace atl::coll {

task broadcast_hierarchical(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  call local = c.on_host(1);
  local.root = c.leader_on_host();
  const scratch list(c.memory(), hosts.count() * sizeof(rank_id));
  if (local.rank == local.root) {
    call leaders = c.among_leaders(reinterpret_cast<rank_id*>(list.data()), 2);
    leaders.root = hosts.host_of(c.root);
    task between = run_part(leaders);
    co_await between;
  }
  local.from = c.to;
  task within = run_part(local);
  co_await within;
}

}  // namespace atl::coll
