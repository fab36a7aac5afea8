// SPDX-License-Identifier: BSD-3-Clause
//
// All-to-all directly: in step i a member sends to the one i further on and receives from the one i
// before. All sends are offered at once; large blocks arrive a few at a time.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>

#include <algorithm>

namespace atl::coll {

namespace {
constexpr rank_id window = 4;  // large blocks that may be arriving
}

task alltoall_pairwise(call& c) {
  transfers sent;
  transfers arrived[window];
  const auto receive = [&](rank_id i) {
    const rank_id source = (c.rank + c.size - i) % c.size;
    c.receive(arrived[i % window], source, 0, c.to + source * c.bytes, c.bytes);
  };
  for (rank_id i = 1; i <= std::min(window, c.size - 1); ++i) receive(i);
  for (rank_id i = 1; i < c.size; ++i) {
    const rank_id target = (c.rank + i) % c.size;
    c.send(sent, target, 0, c.from + target * c.bytes, c.bytes);
  }
  copy_bytes(c.to + c.rank * c.bytes, c.from + c.rank * c.bytes, c.bytes);
  for (rank_id i = 1; i < c.size; ++i) {
    transfers& here = arrived[i % window];
    co_await here;
    if (i + window < c.size) receive(i + window);
  }
  co_await sent;
}

}  // namespace atl::coll
