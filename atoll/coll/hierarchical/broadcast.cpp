// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast from the root to one leader per host, or to several with a stripe of the data each,
// then within each host.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/coll/hierarchical/stripes.hpp>

namespace atl::coll {

namespace {

// The members of the root's host get all of it first. From there each leader brings its stripe to
// the other hosts, where it is broadcast within the host.
task broadcast_in_stripes(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  const stripes cut(c, 1);
  const bool is_at_root = hosts.host_of(c.root) == hosts.own_host();
  if (is_at_root) {
    call local = c.on_host(1);
    local.root = hosts.local_index_of(c.root);
    local.turns_end = c.turns_end;  // this host has no other phase
    task within = run_part(local);
    co_await within;
  }
  if (cut.leads()) {
    call leaders = cut.among_leaders(c, 1 + cut.count());
    leaders.root = hosts.host_of(c.root);
    leaders.from = leaders.to;
    task between = run_part(leaders);
    co_await between;
  }
  for (rank_id k = 0; !is_at_root && k < cut.count() && cut.bytes(k) != 0; ++k) {
    call local = cut.of(c.on_host(1 + k), k);
    local.root = k;
    local.from = local.to;
    task broadcast_part = run_part(local);
    co_await broadcast_part;
  }
}

}  // namespace

task broadcast_hierarchical(call& c) {
  if (c.leaders > 1) {
    task striped = broadcast_in_stripes(c);
    co_await striped;
    co_return;
  }
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
