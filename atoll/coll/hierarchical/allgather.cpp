// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather in three phases: to the first member of each host, among these, and back.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>

namespace atl::coll {

task allgather_hierarchical(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  const host_map& map = hosts_of(c);
  const std::size_t slot = map.most * c.bytes;
  const bool leads = hosts.leads();
  const scratch own(c.memory(), leads ? slot : 0);
  const scratch slots(c.memory(), leads ? hosts.count() * slot : 0);
  const scratch list(c.memory(), hosts.count() * sizeof(rank_id));
  call local_gather = c.on_host(1);
  local_gather.kind = collective::gather;
  local_gather.root = 0;
  local_gather.to = own.data();
  task gathered = run_part(local_gather);
  co_await gathered;
  if (leads) {
    call leaders = c.among_leaders(reinterpret_cast<rank_id*>(list.data()), 3);
    leaders.from = own.data();
    leaders.to = slots.data();
    leaders.bytes = slot;
    task between = run_part(leaders);
    co_await between;
    map.from_slots(c.to, slots.data(), c.bytes);
  }
  call local_broadcast = c.on_host(2);
  local_broadcast.kind = collective::broadcast;
  local_broadcast.root = 0;
  local_broadcast.from = c.to;
  local_broadcast.bytes = c.size * c.bytes;
  task broadcast_part = run_part(local_broadcast);
  co_await broadcast_part;
}

}  // namespace atl::coll
