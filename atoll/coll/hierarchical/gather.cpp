// SPDX-License-Identifier: BSD-3-Clause
//
// Gather within each host to its leader, then among leaders to the root, which leads on its own.
// With several leaders per host each gathers a stripe of every block and sends these to the root.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/coll/hierarchical/stripes.hpp>

namespace atl::coll {

namespace {

// The members of the root's host give it whole blocks.
task gather_in_stripes(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  const host_map& map = hosts_of(c);
  const stripes cut(c, 1);
  const rank_id root_host = hosts.host_of(c.root);
  const bool is_root = c.rank == c.root;
  const striped_slots slots{map, cut, c.bytes};
  const scratch arrived(c.memory(), is_root ? hosts.count() * slots.slot() : 0);
  transfers moved;
  for (rank_id host = 0; is_root && host < hosts.count(); ++host) {
    for (rank_id k = 0; host != root_host && k < cut.count() && cut.bytes(k) != 0; ++k) {
      c.receive(moved, stripes::leader(c, host, k), k, arrived.data() + slots.offset(host, k),
                map.most * cut.bytes(k));
    }
  }
  if (root_host == hosts.own_host()) {
    call local = c.on_host(1);
    local.root = hosts.local_index_of(c.root);
    local.turns_end = c.turns_end;  // this host has no other phase
    local.to = is_root ? arrived.data() + root_host * slots.slot() : nullptr;
    task within = run_part(local);
    co_await within;
    co_await moved;
    if (is_root) slots.to_blocks(c.to, arrived.data(), root_host);
    co_return;
  }
  const scratch own(c.memory(), cut.leads() ? map.most * cut.bytes(0) : 0);
  for (rank_id k = 0; k < cut.count() && cut.bytes(k) != 0; ++k) {
    call local = cut.of(c.on_host(1 + k), k);
    local.root = k;
    local.to = own.data();
    task within = run_part(local);
    co_await within;
  }
  if (cut.leads()) {
    const rank_id k = cut.own();
    c.send(moved, c.root, k, own.data(), map.most * cut.bytes(k));
  }
  co_await moved;
}

}  // namespace

task gather_hierarchical(call& c) {
  if (c.leaders > 1) {
    task striped = gather_in_stripes(c);
    co_await striped;
    co_return;
  }
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
