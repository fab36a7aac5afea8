// SPDX-License-Identifier: BSD-3-Clause
//
// Scatter from the root to one leader per host, then within each host.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>

namespace atl::coll {

task scatter_hierarchical(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  const host_map& map = hosts_of(c);
  const std::size_t slot = map.most * c.bytes;
  call local = c.on_host(1);
  local.root = c.leader_on_host();
  const bool leads = local.rank == local.root;
  const scratch own(c.memory(), leads ? slot : 0);
  const scratch slots(c.memory(), c.rank == c.root ? hosts.count() * slot : 0);
  const scratch list(c.memory(), hosts.count() * sizeof(rank_id));
  if (leads) {
    if (c.rank == c.root) map.to_slots(slots.data(), c.from, c.bytes);
    call leaders = c.among_leaders(reinterpret_cast<rank_id*>(list.data()), 2);
    leaders.root = hosts.host_of(c.root);
    leaders.from = slots.data();
    leaders.to = own.data();
    leaders.bytes = slot;
    task between = run_part(leaders);
    co_await between;
  }
  local.from = own.data();
  task within = run_part(local);
  co_await within;
}

}  // namespace atl::coll
