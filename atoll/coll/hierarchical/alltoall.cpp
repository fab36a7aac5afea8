// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-all by way of the hosts' leaders: each member gives all its blocks to its leader, leaders
// exchange one message for each pair of hosts, and hand out what has come. So few messages go
// between hosts, and each block is copied several times: for small ones. With several leaders per
// host each of them moves a stripe of every block.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>
#include <atoll/coll/hierarchical/stripes.hpp>

namespace atl::coll {

namespace {

// Exchanges a stripe between the leaders of all hosts. `held` has a row for each member of this
// host, in which a stripe of each member of the team stands: first by receiver, then by sender.
task exchange_between_hosts(call& c, const stripes& cut, std::byte* held) {
  const host_map& map = hosts_of(c);
  const team_hosts& hosts = c.whole_team->hosts();
  const std::size_t each = cut.bytes(cut.own());
  const std::size_t host_bytes = std::size_t{map.most} * map.most * each;
  const scratch leaving(c.memory(), hosts.count() * host_bytes);
  const scratch coming(c.memory(), hosts.count() * host_bytes);
  // For a host, rows of its senders, in which its receivers stand.
  for (rank_id local = 0; local < hosts.local_count(); ++local) {
    for (rank_id member = 0; member < c.size; ++member) {
      const std::size_t host = map.place[member] / map.most, index = map.place[member] % map.most;
      copy_bytes(leaving.data() + host * host_bytes + (local * map.most + index) * each,
                 held + (std::size_t{local} * c.size + member) * each, each);
    }
  }
  call leaders = cut.among_leaders(c, 1 + 2 * cut.count());
  leaders.from = leaving.data();
  leaders.to = coming.data();
  leaders.bytes = host_bytes;
  task between = run_part(leaders);
  co_await between;
  for (rank_id local = 0; local < hosts.local_count(); ++local) {
    for (rank_id member = 0; member < c.size; ++member) {
      copy_bytes(held + (std::size_t{local} * c.size + member) * each,
                 coming.data() + (map.place[member] * map.most + local) * each, each);
    }
  }
}

}  // namespace

task alltoall_hierarchical(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  const stripes cut(c, 1);
  const bool is_whole = cut.count() == 1;
  const scratch row(c.memory(), is_whole ? 0 : c.size * cut.bytes(0));
  const std::size_t held_bytes = hosts.local_count() * c.size * cut.bytes(0);
  const scratch held(c.memory(), cut.leads() ? held_bytes : 0);
  for (rank_id k = 0; k < cut.count() && cut.bytes(k) != 0; ++k) {
    call local = c.on_host(1 + k);
    local.kind = collective::gather;
    local.root = k;
    local.to = held.data();
    local.bytes = c.size * cut.bytes(k);
    if (!is_whole) {
      cut.pack(row.data(), c.from, k, c.size);
      local.from = row.data();
    }
    task gathered = run_part(local);
    co_await gathered;
  }
  if (cut.leads()) {
    task between = exchange_between_hosts(c, cut, held.data());
    co_await between;
  }
  for (rank_id k = 0; k < cut.count() && cut.bytes(k) != 0; ++k) {
    call local = c.on_host(1 + cut.count() + k);
    local.kind = collective::scatter;
    local.root = k;
    local.from = held.data();
    local.to = is_whole ? c.to : row.data();
    local.bytes = c.size * cut.bytes(k);
    task scattered = run_part(local);
    co_await scattered;
    if (!is_whole) cut.unpack(c.to, row.data(), k, c.size);
  }
}

}  // namespace atl::coll
