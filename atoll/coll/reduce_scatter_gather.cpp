// SPDX-License-Identifier: BSD-3-Clause
//
// Reduction of large data: each member combines one block of all, and the root collects the blocks.
// Every member combines and sends about as much as the data are large, however many there are.
#include <atoll/coll/algorithms.hpp>
#include <atoll/coll/reduce_scatter.hpp>

namespace atl::coll {

task reduce_scatter_gather(call& c) {
  const blocks cut(c.bytes, c.size, c.combine.element_bytes);
  const bool is_root = c.rank == c.root;
  const scratch block(c.memory(), is_root ? 0 : cut.bytes(c.rank));
  std::byte* const own = is_root ? c.to + cut.offset(c.rank) : block.data();
  transfers moved;
  task scattered = reduce_scatter(c, own, cut);
  co_await scattered;
  const std::uint32_t tag = c.size;
  if (!is_root) {
    if (cut.bytes(c.rank) != 0) c.send(moved, c.root, tag, block.data(), cut.bytes(c.rank));
  } else {
    for (rank_id member = 0; member < c.size; ++member) {
      if (member == c.rank || cut.bytes(member) == 0) continue;
      c.receive(moved, member, tag, c.to + cut.offset(member), cut.bytes(member));
    }
  }
  co_await moved;
}

}  // namespace atl::coll
