// SPDX-License-Identifier: BSD-3-Clause
//
// All-gather after Bruck, in any radix r: before step k a member has the blocks of the r^k members
// from itself on; it then sends them to the r - 1 members that are 1, 2, ... times r^k before it.
// So log_r(size) steps; blocks lie in the order of distance and are put in place at the end.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>

#include <algorithm>
#include <cstring>

namespace atl::coll {

task allgather_bruck(call& c) {
  const std::size_t block = c.bytes;
  const std::uint64_t radix = std::max(c.radix, 2u);
  const scratch gathered(c.memory(), block * c.size);
  transfers both;
  std::memcpy(gathered.data(), c.from, block);
  std::uint32_t tag = 0;
  for (std::uint64_t held = 1; held < c.size; held *= radix) {
    for (std::uint64_t j = 1; j < radix && j * held < c.size; ++j, ++tag) {
      const std::uint64_t first = j * held;
      const auto distance = static_cast<rank_id>(first);
      const std::size_t bytes = std::min<std::uint64_t>(held, c.size - first) * block;
      c.receive(both, (c.rank + distance) % c.size, tag, gathered.data() + first * block, bytes);
      c.send(both, (c.rank + c.size - distance) % c.size, tag, gathered.data(), bytes);
    }
    co_await both;
  }
  const std::size_t until_end = (c.size - c.rank) * block;
  copy_bytes(c.to + c.rank * block, gathered.data(), until_end);
  copy_bytes(c.to, gathered.data() + until_end, c.rank * block);
}

}  // namespace atl::coll
