// SPDX-License-Identifier: BSD-3-Clause
//
// Broadcast of large data: the root spreads one block per member down a binomial tree (a subtree's
// blocks lie together), then all pass their blocks around a ring. The root sends the data about
// once instead of once per child, whatever the number of members.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/knomial.hpp>
#include <atoll/coll/ring.hpp>

namespace atl::coll {

task broadcast_scatter_allgather(call& c) {
  const knomial place(c.rank, c.size, c.root, 2);
  const blocks cut(c.bytes, c.size, 1);
  transfers moved;
  if (place.is_root()) {
    if (c.to != c.from) copy_bytes(c.to, c.from, c.bytes);
  } else {
    const std::size_t bytes = cut.bytes(place.number(), place.subtree());
    if (bytes != 0) c.receive(moved, place.parent(), 0, c.to + cut.offset(place.number()), bytes);
    co_await moved;
  }
  for (knomial::child each = place.first_child(); each.exists(); each = place.after(each)) {
    const std::size_t bytes = cut.bytes(each.number, each.subtree);
    if (bytes != 0) c.send(moved, each.rank, 0, c.to + cut.offset(each.number), bytes);
  }
  const ring_plan plan{.data = c.to, .cut = cut, .first = c.root, .tag = 1};
  task around = gather_around_ring(c, plan);
  co_await around;
  co_await moved;
}

}  // namespace atl::coll
