// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce in three phases: to the first member of each host, among these, and back; with several
// leaders per host the same for a stripe of the data each. For commutative operations, see
// reduce_hierarchical.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/coll/hierarchical/stripes.hpp>

namespace atl::coll {

namespace {

task allreduce_in_stripes(call& c) {
  const stripes cut(c, c.combine.element_bytes);
  const rank_id count = cut.count();
  for (rank_id k = 0; k < count && cut.bytes(k) != 0; ++k) {
    call local = cut.of(c.on_host(1 + k), k);
    local.kind = collective::reduce;
    local.root = k;
    task reduced = run_part(local);
    co_await reduced;
  }
  if (cut.leads()) {
    call leaders = cut.among_leaders(c, 1 + 2 * count);
    leaders.from = leaders.to;
    task between = run_part(leaders);
    co_await between;
  }
  for (rank_id k = 0; k < count && cut.bytes(k) != 0; ++k) {
    call local = cut.of(c.on_host(1 + count + k), k);
    local.kind = collective::broadcast;
    local.root = k;
    local.from = local.to;
    task broadcast_part = run_part(local);
    co_await broadcast_part;
  }
}

}  // namespace

task allreduce_hierarchical(call& c) {
  if (c.leaders > 1) {
    task striped = allreduce_in_stripes(c);
    co_await striped;
    co_return;
  }
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
  task broadcast_part = run_part(local_broadcast);
  co_await broadcast_part;
}

}  // namespace atl::coll
