// SPDX-License-Identifier: BSD-3-Clause
//
// All-reduce of large data: each member combines one block of all, and the blocks go around a ring.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/reduce_scatter.hpp>
#include <atoll/coll/ring.hpp>

namespace atl::coll {

task allreduce_scatter_allgather(call& c) {
  const blocks cut(c.bytes, c.size, c.combine.element_bytes);
  task scattered = reduce_scatter(c, c.to + cut.offset(c.rank), cut);
  co_await scattered;
  const ring_plan plan{.data = c.to, .cut = cut, .first = 0, .tag = c.size};
  task around = gather_around_ring(c, plan);
  co_await around;
}

}  // namespace atl::coll
