// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce as a reduction to member 0 and a broadcast from there, both by trees: half as many
// messages as exchanges need, which is what counts when members share cores.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>

namespace atl::coll {

task allreduce_tree(call& c) {
  call up = c.as_phase(1);
  up.root = 0;
  task reduced = reduce_tree(up);
  co_await reduced;
  call down = c.as_phase(2);
  down.root = 0;
  down.from = c.to;
  task told = broadcast_tree(down);
  co_await told;
}

}  // namespace atl::coll
