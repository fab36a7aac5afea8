// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction within each host to its leader, then among leaders; on its own host the root leads.
// With several leaders per host each has a stripe of the data. Members of one host need not follow
// each other, so the operation must be commutative.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/coll/hierarchical/stripes.hpp>

namespace atl::coll {

namespace {

// Each leader reduces its stripe on its host, then among the leaders of that stripe; from those on
// the root's host the root collects the stripes.
task reduce_in_stripes(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  const stripes cut(c, c.combine.element_bytes);
  const bool is_root = c.rank == c.root;
  const scratch partial(c.memory(), cut.leads() && !is_root ? cut.bytes(cut.own()) : 0);
  for (rank_id k = 0; k < cut.count() && cut.bytes(k) != 0; ++k) {
    call local = cut.of(c.on_host(1 + k), k);
    local.root = k;
    if (!is_root) local.to = partial.data();
    task within = run_part(local);
    co_await within;
  }
  if (cut.leads()) {
    call leaders = cut.among_leaders(c, 1 + cut.count());
    leaders.root = hosts.host_of(c.root);
    if (!is_root) leaders.to = partial.data();
    leaders.from = leaders.to;
    task between = run_part(leaders);
    co_await between;
  }
  transfers moved;
  for (rank_id k = 0; is_root && k < cut.count() && cut.bytes(k) != 0; ++k) {
    const rank_id leader = stripes::leader(c, hosts.own_host(), k);
    if (leader != c.root) c.receive(moved, leader, k, c.to + cut.offset(k), cut.bytes(k));
  }
  if (!is_root && cut.leads() && hosts.host_of(c.root) == hosts.own_host()) {
    c.send(moved, c.root, cut.own(), partial.data(), cut.bytes(cut.own()));
  }
  co_await moved;
}

}  // namespace

task reduce_hierarchical(call& c) {
  if (c.leaders > 1) {
    task striped = reduce_in_stripes(c);
    co_await striped;
    co_return;
  }
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
