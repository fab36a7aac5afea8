// SPDX-License-Identifier: BSD-3-Clause
//
// Scatter in one step: the root sends every member its block, straight from its place.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>

namespace atl::coll {

task scatter_linear(call& c) {
  transfers all;
  if (c.rank != c.root) {
    c.receive(all, c.root, 0, c.to, c.bytes);
  } else {
    for (rank_id i = 1; i < c.size; ++i) {
      const rank_id member = (c.rank + i) % c.size;
      c.send(all, member, 0, c.from + member * c.bytes, c.bytes);
    }
    const std::byte* const own = c.from + c.rank * c.bytes;
    if (own != c.to) copy_bytes(c.to, own, c.bytes);
  }
  co_await all;
}

}  // namespace atl::coll
