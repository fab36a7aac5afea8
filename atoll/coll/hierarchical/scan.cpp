// SPDX-License-Identifier: BSD-3-Clause
//
// Scan within each host, then among the last members of all hosts, which have the sums of theirs,
// then back: each host gets the sum of the hosts before it. So the data cross once from each host
// to the next, or log2(hosts) times. The members of a host must follow each other in the team,
// because a result is that of whole hosts and of a part of the own one; then any order is kept.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/hierarchical/hosts.hpp>

namespace atl::coll {

namespace {

// Puts the sum of all hosts before this one into `prefix` of the last members, whose own sums are
// in `sum`.
task scan_between_hosts(call& c, const std::byte* sum, std::byte* prefix) {
  const team_hosts& hosts = c.whole_team->hosts();
  const scratch list(c.memory(), hosts.count() * sizeof(rank_id));
  rank_id* const last = reinterpret_cast<rank_id*>(list.data());
  for (rank_id host = 1; host < hosts.count(); ++host) last[host - 1] = hosts.leader(host) - 1;
  last[hosts.count() - 1] = c.size - 1;
  call leaders = c.narrow(last, hosts.count(), hosts.own_host(), 3);
  leaders.exclusive = true;
  leaders.from = sum;
  leaders.to = prefix;
  task between = run_part(leaders);
  co_await between;
}

}  // namespace

task scan_hierarchical(call& c) {
  const team_hosts& hosts = c.whole_team->hosts();
  const rank_id index = hosts.local_index();
  const bool is_last = index == hosts.local_count() - 1;
  const scratch sum(c.memory(), is_last && c.exclusive ? c.bytes : 0);
  const scratch prefix(c.memory(), c.bytes);
  if (is_last && c.exclusive) copy_bytes(sum.data(), c.from, c.bytes);
  call local = c.on_host(1);
  task within = run_part(local);
  co_await within;
  if (is_last) {
    if (c.exclusive && index != 0) c.combine(c.to, sum.data(), c.count);
    task between = scan_between_hosts(c, c.exclusive ? sum.data() : c.to, prefix.data());
    co_await between;
  }
  if (hosts.own_host() == 0) co_return;
  call local_broadcast = c.on_host(2);
  local_broadcast.kind = collective::broadcast;
  local_broadcast.root = hosts.local_count() - 1;
  local_broadcast.from = local_broadcast.to = prefix.data();
  task back = run_part(local_broadcast);
  co_await back;
  if (c.exclusive && index == 0) {
    copy_bytes(c.to, prefix.data(), c.bytes);
  } else {
    c.combine(prefix.data(), c.to, c.count);
  }
}

}  // namespace atl::coll
