// SPDX-License-Identifier: BSD-3-Clause
//
// Scan in log2(size) steps: before step k a member has the sum of the 2^k members that end with
// itself; it sends that to the one 2^k further on, and puts what comes from 2^k before in front of
// it. The exclusive result collects only what came.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>

namespace atl::coll {

task scan_doubling(call& c) {
  const scratch held(c.memory(), 3 * c.bytes);
  std::byte* const sum = held.data();       // of members up to and with this one
  std::byte* const before = sum + c.bytes;  // of those before this one
  std::byte* const coming = before + c.bytes;
  transfers both;
  bool any_came = false;
  copy_bytes(sum, c.from, c.bytes);
  std::uint32_t tag = 0;
  for (std::uint64_t reach = 1; reach < c.size; reach *= 2, ++tag) {
    const auto distance = static_cast<rank_id>(reach);
    const bool has_source = c.rank >= reach;
    if (has_source) c.receive(both, c.rank - distance, tag, coming, c.bytes);
    if (c.rank + reach < c.size) c.send(both, c.rank + distance, tag, sum, c.bytes);
    co_await both;
    if (!has_source) continue;
    c.combine(coming, sum, c.count);
    if (!c.exclusive) continue;
    if (any_came) {
      c.combine(coming, before, c.count);
    } else {
      copy_bytes(before, coming, c.bytes);
    }
    any_came = true;
  }
  if (!c.exclusive) {
    copy_bytes(c.to, sum, c.bytes);
  } else if (any_came) {
    copy_bytes(c.to, before, c.bytes);
  }
}

}  // namespace atl::coll
