// SPDX-License-Identifier: BSD-3-Clause
//
// The fence: complete when all members have begun it. In step k each member tells the member 2^k
// further on that it and the 2^k - 1 members before it are here.
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>

namespace atl::coll {

task fence_dissemination(call& c) {
  transfers moved;
  std::uint32_t round = 0;
  for (std::uint64_t distance = 1; distance < c.size; distance *= 2, ++round) {
    const auto step = static_cast<rank_id>(distance);
    c.receive(moved, (c.rank + c.size - step) % c.size, round, nullptr, 0);
    c.send(moved, (c.rank + step) % c.size, round, nullptr, 0);
    co_await moved;
  }
}

}  // namespace atl::coll
