// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather in one step: every member sends its block to every other. The shortest way for few
// members.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>

namespace atl::coll {

task allgather_linear(call& c) {
  transfers all;
  for (rank_id i = 1; i < c.size; ++i) {
    const rank_id source = (c.rank + i) % c.size;
    c.receive(all, source, 0, c.to + source * c.bytes, c.bytes);
  }
  for (rank_id i = 1; i < c.size; ++i) {
    c.send(all, (c.rank + c.size - i) % c.size, 0, c.from, c.bytes);
  }
  std::byte* const own = c.to + c.rank * c.bytes;
  if (own != c.from) copy_bytes(own, c.from, c.bytes);
  co_await all;
}

}  // namespace atl::coll
