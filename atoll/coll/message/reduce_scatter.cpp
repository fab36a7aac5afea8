// SPDX-License-Identifier: BSD-3-Clause
//
// The first half of the reductions of large data. Every member sends each other one its block, and
// combines what comes: all data cross once, in one step, for any number of members. A commutative
// operation takes them from the right neighbour on, so that not all send to the same member at
// first, and combines into its own block at once. Others are taken in the order of members; then
// the result moves from buffer to buffer, see reduce_tree.
#include <atoll/coll/message/reduce_scatter.hpp>

#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/message/window.hpp>

#include <algorithm>

namespace atl::coll {

task reduce_scatter(call& c, std::byte* own, blocks cut) {
  const bool in_order = !c.combine.commutative;
  const std::size_t own_bytes = cut.bytes(c.rank);
  const std::size_t count = own_bytes / c.combine.element_bytes;
  // One block more than may be arriving: the last one that came is still in use.
  const rank_id window = std::min(c.depth_or(depth_of_blocks), c.size - 1) + 1;
  const scratch arriving(c.memory(), window * own_bytes);
  transfer_window arrived(c, window);
  transfers sent;
  for (rank_id i = 1; i < c.size; ++i) {
    const rank_id member = (c.rank + c.size - i) % c.size;
    const std::size_t bytes = cut.bytes(member);
    if (bytes != 0) c.send(sent, member, c.rank, c.from + cut.offset(member), bytes);
  }
  // The i-th source: all others in either order.
  const auto source = [&](rank_id i) {
    if (in_order) return i < c.rank ? i : i + 1;
    return (c.rank + 1 + i) % c.size;
  };
  const auto receive = [&](rank_id i) {
    if (own_bytes == 0) return;
    const rank_id member = source(i);
    c.receive(arrived[i], member, member, arriving.data() + i % window * own_bytes, own_bytes);
  };
  if (own != c.from + cut.offset(c.rank)) copy_bytes(own, c.from + cut.offset(c.rank), own_bytes);
  const std::byte* sum = nullptr;  // in order: of the members before this one, then of all
  const rank_id others = c.size - 1;
  for (rank_id i = 0; i < std::min(window - 1, others); ++i) receive(i);
  for (rank_id i = 0; i < others && own_bytes != 0; ++i) {
    transfers& arrival = arrived[i];
    co_await arrival;
    std::byte* const received = arriving.data() + i % window * own_bytes;
    if (!in_order) {
      c.combine(received, own, count);
    } else {
      if (source(i) > c.rank && (i == 0 || source(i - 1) < c.rank)) {
        if (sum != nullptr) c.combine(sum, own, count);
        sum = own;
      }
      if (sum != nullptr) c.combine(sum, received, count);
      sum = received;
    }
    // The place of the block before this one is free now: `sum` has moved on.
    if (i + window - 1 < others) receive(i + window - 1);
  }
  if (in_order && own_bytes != 0) {
    if (c.rank == c.size - 1) {
      c.combine(sum, own, count);
    } else {
      copy_bytes(own, sum, own_bytes);
    }
  }
  co_await sent;
}

}  // namespace atl::coll
