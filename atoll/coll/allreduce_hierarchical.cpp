// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce in three phases: to the first member of each host, among these, and back. For
// commutative operations, see reduce_hierarchical.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/hosts.hpp>

namespace atl::coll {

task allreduce_hierarchical(call& c) {
  const team_hosts& hosts = c.on->hosts();
  call up = c.on_host(1);
  up.what = collective::reduce;
  up.root = 0;
  task reduced = run_part(up);
  co_await reduced;
  const scratch list(c.memory(), hosts.count() * sizeof(rank_id));
  if (hosts.leads()) {
    call leaders = c.among_leaders(reinterpret_cast<rank_id*>(list.data()), 3);
    leaders.from = c.to;
    task between = run_part(leaders);
    co_await between;
  }
  call down = c.on_host(2);
  down.what = collective::broadcast;
  down.root = 0;
  down.from = c.to;
  task told = run_part(down);
  co_await told;
}

}  // namespace atl::coll
