// SPDX-License-Identifier: BSD-3-Clause
//
// Scatters by messages from the root.
#include <atoll/base/copy.hpp>
#include <atoll/coll/engine/algorithms.hpp>
#include <atoll/coll/engine/call.hpp>
#include <atoll/coll/message/knomial.hpp>

namespace atl::coll {

// Scatter in one step: the root sends every member its block, straight from its place.
task scatter_linear(call& c) {
  transfers moved;
  if (c.rank != c.root) {
    c.receive(moved, c.root, 0, c.to, c.bytes);
  } else {
    for (rank_id i = 1; i < c.size; ++i) {
      const rank_id member = (c.rank + i) % c.size;
      c.send(moved, member, 0, c.from + member * c.bytes, c.bytes);
    }
    const std::byte* const own = c.from + c.rank * c.bytes;
    if (own != c.to) copy_bytes(c.to, own, c.bytes);
  }
  co_await moved;
}

// Scatter down a k-nomial tree: a member gets the blocks of its whole subtree, which lie together
// when numbered from the root on, and passes on those of its children. Fewer messages leave the
// root, and blocks travel several times: for small ones.
task scatter_tree(call& c) {
  const knomial place(c.rank, c.size, c.root, c.radix);
  const std::size_t block = c.bytes;
  const bool is_leaf = place.subtree() == 1;
  const bool rotated = place.is_root() && c.root != 0;
  const bool keeps = rotated || (!place.is_root() && !is_leaf);
  const scratch held(c.memory(), keeps ? place.subtree() * block : 0);
  transfers moved;
  const std::byte* subtree = c.from;  // the blocks of the subtree, in the order of its numbers
  if (rotated) {
    const std::size_t until_end = (c.size - c.root) * block;
    copy_bytes(held.data(), c.from + c.root * block, until_end);
    copy_bytes(held.data() + until_end, c.from, c.root * block);
    subtree = held.data();
  } else if (!place.is_root()) {
    std::byte* const to = is_leaf ? c.to : held.data();
    c.receive(moved, place.parent(), 0, to, place.subtree() * block);
    co_await moved;
    subtree = to;
  }
  for (knomial::child each = place.first_child(); each.exists(); each = place.next_child(each)) {
    c.send(moved, each.rank, 0, subtree + (each.number - place.number()) * block,
           each.subtree * block);
  }
  if (subtree != c.to) copy_bytes(c.to, subtree, block);
  co_await moved;
}

}  // namespace atl::coll
