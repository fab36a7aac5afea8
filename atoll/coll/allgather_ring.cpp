// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather around a ring: size - 1 steps, each between neighbours; nothing is copied twice.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/ring.hpp>

namespace atl::coll {

task allgather_ring(call& c) {
  std::byte* const own = c.to + c.rank * c.bytes;
  if (own != c.from) copy_bytes(own, c.from, c.bytes);
  const blocks cut(c.bytes * c.size, c.size, c.bytes);
  const ring_plan plan{.data = c.to, .cut = cut, .first = 0, .tag = 0};
  task around = gather_around_ring(c, plan);
  co_await around;
}

}  // namespace atl::coll
