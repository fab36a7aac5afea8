// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather in three phases: to the first member of each host, among these, and back; with several
// leaders per host the same for a stripe of each block.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/coll/hierarchical/stripes.hpp>

namespace atl::coll {

namespace {

// The stripes of all blocks come to `all` of a leader, in the order of members.
task allgather_between_hosts(call& c, const stripes& cut, const std::byte* own, std::byte* all) {
  const host_map& map = hosts_of(c);
  const std::size_t each = cut.bytes(cut.own());
  const scratch slots(c.memory(), c.whole_team->hosts().count() * map.most * each);
  call leaders = cut.among_leaders(c, 1 + 2 * cut.count());
  leaders.from = own;
  leaders.to = slots.data();
  leaders.bytes = map.most * each;
  task between = run_part(leaders);
  co_await between;
  map.from_slots(all, slots.data(), each);
}

task allgather_in_stripes(call& c) {
  const stripes cut(c, 1);
  const scratch own(c.memory(), cut.leads() ? hosts_of(c).most * cut.bytes(0) : 0);
  const scratch led(c.memory(), cut.leads() ? c.size * cut.bytes(0) : 0);
  const scratch other(c.memory(), c.size * cut.bytes(0));
  for (rank_id k = 0; k < cut.count() && cut.bytes(k) != 0; ++k) {
    call local = cut.of(c.on_host(1 + k), k);
    local.kind = collective::gather;
    local.root = k;
    local.to = own.data();
    task gathered = run_part(local);
    co_await gathered;
  }
  if (cut.leads()) {
    task between = allgather_between_hosts(c, cut, own.data(), led.data());
    co_await between;
  }
  for (rank_id k = 0; k < cut.count() && cut.bytes(k) != 0; ++k) {
    std::byte* const all = k == cut.own() ? led.data() : other.data();
    call local = c.on_host(1 + cut.count() + k);
    local.kind = collective::broadcast;
    local.root = k;
    local.from = local.to = all;
    local.bytes = c.size * cut.bytes(k);
    task broadcast_part = run_part(local);
    co_await broadcast_part;
    cut.unpack(c.to, all, k, c.size);
  }
}

}  // namespace

task allgather_hierarchical(call& c) {
  if (c.leaders > 1) {
    task striped = allgather_in_stripes(c);
    co_await striped;
    co_return;
  }
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
