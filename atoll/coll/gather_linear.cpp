// SPDX-License-Identifier: BSD-3-Clause
//
// Gather in one step: every member sends its block to the root, straight to its place; large blocks
// arrive a few at a time.
#include <atoll/base/copy.hpp>
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/call.hpp>

#include <algorithm>

namespace atl::coll {

namespace {
constexpr rank_id window = 4;
}

task gather_linear(call& c) {
  transfers arrived[window];
  if (c.rank != c.root) {
    transfers& sent = arrived[0];
    c.send(sent, c.root, 0, c.from, c.bytes);
    co_await sent;
    co_return;
  }
  const auto receive = [&](rank_id i) {
    const rank_id member = (c.rank + i) % c.size;
    c.receive(arrived[i % window], member, 0, c.to + member * c.bytes, c.bytes);
  };
  for (rank_id i = 1; i <= std::min(window, c.size - 1); ++i) receive(i);
  std::byte* const own = c.to + c.rank * c.bytes;
  if (own != c.from) copy_bytes(own, c.from, c.bytes);
  for (rank_id i = 1; i < c.size; ++i) {
    transfers& here = arrived[i % window];
    co_await here;
    if (i + window < c.size) receive(i + window);
  }
}

}  // namespace atl::coll
