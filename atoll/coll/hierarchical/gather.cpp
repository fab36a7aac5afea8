// SPDX-License-Identifier: BSD-3-Clause
//
// Gather within each host to its leader, then among leaders to the root, which leads on its own.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>

namespace atl::coll {

task gather_hierarchical(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  const host_map& map = hosts_of(c);
  const std::size_t slot = map.most * c.bytes;
  call local = c.on_host(1);
  local.root = c.leader_on_host();
  const bool leads = local.rank == local.root;
  const scratch own(c.memory(), leads ? slot : 0);
  const scratch slots(c.memory(), c.rank == c.root ? hosts.count() * slot : 0);
  const scratch list(c.memory(), hosts.count() * sizeof(rank_id));
  local.to = own.data();
  task gathered = run_part(local);
  co_await gathered;
  if (!leads) co_return;
  call leaders = c.among_leaders(reinterpret_cast<rank_id*>(list.data()), 2);
  leaders.root = hosts.host_of(c.root);
  leaders.from = own.data();
  leaders.to = slots.data();
  leaders.bytes = slot;
  task between = run_part(leaders);
  co_await between;
  if (c.rank == c.root) map.from_slots(c.to, slots.data(), c.bytes);
}

}  // namespace atl::coll
