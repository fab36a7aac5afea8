// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers by messages to the root.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/engine/table.hpp>
#include <atoll/coll/message/knomial.hpp>
#include <atoll/coll/message/window.hpp>

#include <algorithm>

namespace atl::coll {

// Gather in one step: every member sends its block to the root, straight to its place; large blocks
// arrive a few at a time.
task gather_linear(call& c) {
  const rank_id window = std::min(c.depth_or(depth_of_pieces), c.size - 1);
  transfer_window arrived(c, window);
  if (c.rank != c.root) {
    transfers& sent = arrived[0];
    c.send(sent, c.root, 0, c.from, c.bytes);
    co_await sent;
    co_return;
  }
  const auto receive = [&](rank_id i) {
    const rank_id member = (c.rank + i) % c.size;
    c.receive(arrived[i], member, 0, c.to + member * c.bytes, c.bytes);
  };
  for (rank_id i = 1; i <= window; ++i) receive(i);
  std::byte* const own = c.to + c.rank * c.bytes;
  if (own != c.from) copy_bytes(own, c.from, c.bytes);
  for (rank_id i = 1; i < c.size; ++i) {
    transfers& arrival = arrived[i];
    co_await arrival;
    if (i + window < c.size) receive(i + window);
  }
}

// Gather up a k-nomial tree: a member collects the blocks of its subtree, which lie together when
// numbered from the root on, and sends them on as one message: for small blocks.
task gather_tree(call& c) {
  const knomial place(c.rank, c.size, c.root, c.radix);
  const std::size_t block = c.bytes;
  const bool in_place = place.is_root() && c.root == 0;
  const bool is_leaf = place.subtree() == 1;
  const scratch held(c.memory(), in_place || is_leaf ? 0 : place.subtree() * block);
  std::byte* const subtree = in_place ? c.to : held.data();
  transfers moved;
  for (knomial::child each = place.lowest_child(); each.exists(); each = place.above(each)) {
    c.receive(moved, each.rank, 0, subtree + (each.number - place.number()) * block,
              each.subtree * block);
  }
  if (!is_leaf && subtree != c.from) copy_bytes(subtree, c.from, block);
  co_await moved;
  if (!place.is_root()) {
    c.send(moved, place.parent(), 0, is_leaf ? c.from : subtree, place.subtree() * block);
    co_await moved;
  } else if (!in_place) {
    const std::size_t until_end = (c.size - c.root) * block;
    copy_bytes(c.to + c.root * block, subtree, until_end);
    copy_bytes(c.to, subtree + until_end, c.root * block);
  }
}

}  // namespace atl::coll
